import Dispatch
import HostLoop
import HostLoopTesting
import TestSupport
import Testing

/// Keyed loops on the pool, and several threads that emit.
@Suite(.timeLimit(.minutes(10))) struct KeyedThreadsTests {
    /// Waits until `isTrue`, without a limit of its own.
    private func wait(until isTrue: () -> Bool) async { while !isTrue() { await Task.yield() } }

    @Test func aKeyHasOneLoopHoweverManyThreadsBeginIt() async {
        let (threads, keys, rounds) = (4, 50, 200)
        let loops = KeyedLoops<Int, Int, Int>(
            startingFrom: { _ in 0 }, spin: { _ in Counting.spin(executor: .pool) })
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds { for key in 0..<keys { _ = loops.emit(1, to: key) } }
        }
        await wait { (0..<keys).allSatisfy { loops.state(of: $0) == threads * rounds } }
        #expect(loops.counters.made == UInt64(keys))
        #expect(loops.page(atMost: 100).loops.count == keys)
    }

    /// Each event is reduced by some loop of its key, or was in the queue of a loop that ended.
    @Test(arguments: [LoopExecutor.caller, .pool])
    func keysBeginAgainWhileThreadsEmit(executor: LoopExecutor) async {
        let (threads, rounds) = (4, 5000)
        let reduced = Box(0)
        let loops = KeyedLoops<Int, Int, Int>(
            startingFrom: { _ in 0 },
            spin: { _ in
                Spin(
                    initialState: 0,
                    reducer: Reducer { (state: inout Int, event: Int) in
                        state += event
                        reduced.change { $0 += 1 }
                        return true
                    }, feedbacks: [], until: { $0 >= 3 }, executor: executor)
            })
        let queued = Box(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for round in 0..<rounds where loops.emit(1, to: round % 3) == .queued {
                queued.change { $0 += 1 }
            }
        }
        #expect(queued.value == threads * rounds)
        loops.stop()
        await loops.ended.wait()
        #expect(loops.count == 0)
        #expect(loops.counters.made == loops.counters.stopped)
        if executor.label == "caller" { #expect(loops.counters.made > 1000) }
        #expect(reduced.value <= queued.value)
        // A loop ends at its third event.
        #expect(reduced.value >= 3 * (Int(loops.counters.made) - 3))
    }

    /// Accounts that send each other money: what leaves one arrives at another.
    @Test func effectsSendToOtherKeys() async {
        struct Account: Sendable {
            var balance = 100
            var outgoing: [(to: Int, amount: Int)] = []
        }
        enum Event: Sendable { case pay(to: Int, amount: Int), receive(Int), sent }
        let accounts = 20
        let arrived = Box(0)
        let loops = KeyedLoops<Int, Account, Event>(
            startingFrom: { _ in Account() },
            spin: { emitter in
                Spin(
                    initialState: Account(),
                    reducer: Reducer { (account: inout Account, event: Event) in
                        switch event {
                        case .pay(let to, let amount):
                            guard account.balance >= amount else { return false }
                            account.balance -= amount
                            account.outgoing = [(to, amount)]
                        case .receive(let amount):
                            account.balance += amount
                            arrived.change { $0 += 1 }
                        case .sent: account.outgoing = []
                        }
                        return true
                    },
                    feedbacks: [
                        .onEvent(
                            "send",
                            where: { _, event in if case .pay = event { true } else { false } }
                        ) { account, _ in
                            for (to, amount) in account.outgoing { emitter.emit(.receive(amount), to: to) }
                            return nil
                        }
                    ], executor: .pool)
            })
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            loops.emit(
                .pay(
                    to: Int.random(in: 0..<accounts, using: &generator),
                    amount: Int.random(in: 1...30, using: &generator)),
                to: Int.random(in: 0..<accounts, using: &generator))
        }
        func steps() -> (all: UInt64, unhandled: UInt64) {
            (0..<accounts).reduce(into: (0, 0)) { sum, key in
                let counters = loops.counters(of: key) ?? LoopCounters()
                sum.0 += counters.steps
                sum.1 += counters.unhandled
            }
        }
        // Each payment that is handled brings one receipt.
        await wait {
            let (handled, unhandled) = steps()
            return handled + unhandled == 2000 + UInt64(arrived.value) && handled == 2 * UInt64(arrived.value)
        }
        let sum = (0..<accounts).reduce(0) { $0 + (loops.state(of: $1)?.balance ?? 100) }
        #expect(sum == 100 * accounts)
    }

    /// A reducer may emit to its own key, whose loop stops meanwhile.
    @Test func aReducerEmitsToItsKeyWhileItsLoopStops() async {
        let loops = KeyedLoops<Int, Int, Int>(
            startingFrom: { _ in 0 }, keep: .seconds(1),
            spin: { emitter in
                Spin(
                    initialState: 0,
                    reducer: Reducer { (state: inout Int, event: Int) in
                        state += event
                        if event == 1 { emitter.emit(2, to: state % 2) }
                        return true
                    }, feedbacks: [], until: { $0 >= 3 }, executor: .pool)
            })
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var round = 0
            while loops.counters.made < 50 {
                round += 1
                _ = thread < 2 ? loops.emit(1, to: round % 2) : loops.perform(1, on: round % 2)
            }
        }
        loops.stop()
        await loops.ended.wait()
        #expect(loops.counters.made == loops.counters.stopped)
    }

    @Test func aBusyKeyHoldsUpNoOther() async {
        let isOver = Box(false)
        let loops = KeyedLoops<String, Int, Int>(
            startingFrom: { _ in 0 },
            spin: { _ in
                Counting.spin(
                    executor: .serial("one thread"),
                    // It never rests.
                    .onState("again", where: { $0 < 1_000_000_000 && !isOver.value }) { $0 == 0 ? nil : 1 })
            })
        loops.emit(1, to: "busy")
        loops.emit(2_000_000_000, to: "other")
        await wait { loops.state(of: "other") == 2_000_000_000 }
        #expect(loops.state(of: "busy")! < 1_000_000_000)
        isOver.value = true
    }

    @Test func aFullMailboxIsThatOfOneKey() async {
        let gate = Gate()
        let loops = KeyedLoops<String, Int, Int>(
            startingFrom: { _ in 0 },
            spin: { _ in
                Counting.spin(
                    executor: .pool, mailbox: .bounded(2),
                    .onState("hold", where: { $0 == 7 }) { _ in
                        gate.pass()
                        return nil
                    })
            })
        loops.emit(7, to: "full")
        await wait { loops.state(of: "full") == 7 }
        #expect(loops.emit(1, to: "full") == .queued)
        #expect(loops.emit(1, to: "full") == .queued)
        #expect(loops.emit(1, to: "full") == .full)
        #expect(loops.emit(1, to: "other") == .queued)
        async let sent = loops.send(1, to: "full")
        gate.open()
        #expect(await sent == .queued)
        await wait { loops.state(of: "full") == 10 }
    }
}
