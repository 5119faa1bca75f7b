import Foundation
import HostLoopTesting
import Synchronization
import TestSupport
import Testing

@testable import HostLoop

/// The state's lock: biased to the thread that drains the loop, until another thread needs it while the loop
/// is active.
@Suite(.enabled(if: StateLock.initialBias == .towardDrain), .timeLimit(.minutes(10)))
struct StateLockTests {
    /// A state that is consistent when all of its values come from one step.
    struct Doubled: Sendable {
        var count = 0
        var copies = [0, 0]

        var isWhole: Bool { copies == [count, 2 * count] }
    }

    /// A loop that counts to `limit` by itself.
    private static func spin(to limit: Int, executor: LoopExecutor) -> Spin<Doubled, Int> {
        Spin(
            initialState: Doubled(),
            reducer: Reducer { (state: inout Doubled, event: Int) -> Bool in
                state.count += event
                state.copies = [state.count, 2 * state.count]
                return true
            },
            feedbacks: [.onState { $0.count < limit ? 1 : nil }], until: { $0.count >= limit },
            executor: executor)
    }

    @Test func readsOfAnIdleLoop_keepTheBias() throws {
        let loop = Counting.spin().start()
        loop.emit(1)
        #expect(try OtherThread.result { loop.state } == 1)
        loop.emit(2)
        loop.perform(3)
        #expect(try OtherThread.result { loop.state } == 6)
        #expect(try OtherThread.result { loop.counters.steps } == 3)
        #expect(loop.hasBias)
    }

    @Test func performingWhileTheLoopIsIdle_keepsTheBias() {
        let log = Counting.Log()
        for loop in [Counting.spin().start(), Counting.spin().start(observers: [log])] {
            loop.perform(1)
            loop.perform([2, 3])
            #expect(loop.state == 6)
            #expect(loop.hasBias)
        }
        #expect(log.lines("step").count == 3)
    }

    @Test func readsOfTheLoopsOwnThread_keepTheBias() {
        let read = Box<@Sendable () -> Int>({ 0 })
        let seen = Box<[Int]>([])
        let loop = Counting.spin(.always { _, _ in seen.change { $0.append(read.value()) } }).start()
        read.value = { [weak loop] in loop?.state ?? -1 }
        loop.emit(4)
        loop.perform(1)
        #expect(seen.value == [0, 4, 5])
        #expect(loop.hasBias)
        read.value = { 0 }
    }

    @Test(arguments: [false, true])
    func aReaderOfTheStateDuringAReduction_waitsForItsEnd(performs: Bool) throws {
        let (entered, gate, done) = (Gate(), Gate(), Gate())
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                state += event
                guard event == 5 else { return true }
                entered.open()
                gate.pass()
                state += 1
                return true
            }, feedbacks: [], executor: .caller
        ).start()
        OtherThread.start { loop.emit(5) }
        entered.pass()
        let read = Box<Int?>(nil)
        OtherThread.start {
            if performs { loop.perform(10) }
            read.value = loop.state
            done.open()
        }
        try blockUntil { !loop.hasBias }
        #expect(read.value == nil)
        gate.open()
        done.pass()
        #expect(read.value == (performs ? 16 : 6))
        loop.emit(100)
        try blockUntil { loop.state == (performs ? 116 : 106) }
    }

    #if os(Linux)
        @Test func aThreadThatWaitsForAReducer_sleeps() throws {
            let (loop, reader) = (Box<Loop<Int, Int>?>(nil), Box<String?>(nil))
            let (before, after) = (Box<Int?>(nil), Box<Int?>(nil))
            let entered = Gate()
            loop.value = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    entered.open()
                    while loop.value?.hasBias ?? false {}
                    // The other thread is waiting, or about to.
                    before.value = Self.sleeps(ofThread: reader.value)
                    for _ in 0..<5000 { after.value = Self.sleeps(ofThread: reader.value) }
                    state += event
                    return true
                }, feedbacks: [], executor: .caller
            ).start()
            let done = Gate()
            OtherThread.start {
                entered.pass()
                reader.value = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                #expect(loop.value?.state == 1)
                done.open()
            }
            loop.value?.emit(1)
            done.pass()
            let (first, last) = (try #require(before.value), try #require(after.value))
            #expect(last - first < 10)
            loop.value = nil
        }

        /// How often a thread has given its processor away by itself.
        /// - Parameter name: As /proc/thread-self says it.
        private static func sleeps(ofThread name: String?) -> Int? {
            guard let name, let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8)
            else { return nil }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return line?.split(separator: "\t").last.flatMap { Int($0) }
        }
    #endif

    @Test func aThreadThatRevokesABiasAfterAnother_doesNotWait() throws {
        let guarded = Guarded()
        guarded.lock.bias.store(.none, ordering: .releasing)
        // The draining thread is about to see that it has no bias.
        guarded.lock.isHeldByBias.store(true, ordering: .releasing)
        try OtherThread.result { guarded.lock.revokeBias(of: guarded) }
        guarded.lock.releaseByBias()
        let isBiased = guarded.lock.isBiased
        #expect(!isBiased)
    }

    private final class Guarded: Sendable {
        let lock = StateLock()
        let first = Atomic(0)
        let second = Atomic(0)
    }

    @Test func aThreadThatHasRevokedTheBias_hasTheLockAlone() {
        let all = (0..<10_000).map { _ in Guarded() }
        let reached = Atomic(0)
        let done = Gate()
        OtherThread.start {
            for (index, guarded) in all.enumerated() {
                reached.store(index, ordering: .relaxed)
                while guarded.lock.takeByBias(guarded) {
                    guarded.first.count()
                    guarded.second.count()
                    guarded.lock.releaseByBias()
                }
            }
            done.open()
        }
        var disturbed = 0
        for (index, guarded) in all.enumerated() {
            while reached.load(ordering: .relaxed) < index {}
            // The time differs from round to round.
            for _ in 0..<index % 64 { _ = reached.load(ordering: .relaxed) }
            guarded.lock.bias.store(.beingRevoked, ordering: .releasing)
            guarded.lock.revokeBias(of: guarded)
            guarded.lock.withLock {
                let before = guarded.first.load(ordering: .relaxed)
                for _ in 0..<20 where guarded.second.load(ordering: .relaxed) != before { disturbed += 1 }
                if guarded.first.load(ordering: .relaxed) != before { disturbed += 1 }
            }
        }
        done.pass()
        #expect(disturbed == 0)
    }

    @Test(arguments: [LoopExecutor.pool, .serial("own")])
    func aReadAtAnyTime_returnsTheStateAfterSomeStep(executor: LoopExecutor) async {
        let limit = 500
        for round in 0..<200 {
            let loop = Self.spin(to: limit, executor: executor).start()
            let faults = Box(0)
            let readers = (0..<2).map { reader in
                let done = Gate()
                OtherThread.start {
                    // Each round comes at another time.
                    while loop.counters.steps < (round * (reader + 1)) % (limit / 2) {}
                    var last = 0
                    while last < limit {
                        let state = loop.state
                        if !state.isWhole || state.count < last { faults.change { $0 += 1 } }
                        last = state.count
                        if reader == 1, last < limit { loop.perform(1) }
                    }
                    done.open()
                }
                return done
            }
            await loop.ended.wait()
            for reader in readers { reader.pass() }
            #expect(faults.value == 0)
            #expect(Int(loop.counters.steps) >= limit)
            #expect(loop.state.count == Int(loop.counters.steps))
        }
    }
}

extension Atomic<Int> {
    /// Counts one more, as one thread alone does.
    fileprivate func count() { store(load(ordering: .relaxed) + 1, ordering: .relaxed) }
}

extension Loop {
    /// Whether the lock of the state is biased to the draining thread.
    fileprivate var hasBias: Bool { core.stateLock.isBiased }
}
