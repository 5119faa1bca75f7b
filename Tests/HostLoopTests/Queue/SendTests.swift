import HostLoop
import Testing

/// `await send` of rule 11.
@Suite struct SendTests {
    /// A loop that makes `body` run while it is busy with event 1.
    private func loop(
        _ mailbox: MailboxCapacity, _ log: Counting.Log = Counting.Log(), _ feedbacks: Feedback<Int, Int>...,
        body: @escaping @Sendable (Emitter<Int>) -> Void
    ) -> Loop<Int, Int> {
        let emitter = Box<Emitter<Int>?>(nil)
        let script = Feedback<Int, Int>.onEvent("script", where: { _, event in event == 1 }) { _, _ in
            if let emitter = emitter.value { body(emitter) }
            return nil
        }
        let loop = Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: feedbacks + [script], mailbox: mailbox,
            executor: .caller
        ).start(observers: [log])
        emitter.value = loop.emitter
        return loop
    }

    @Test func anUnboundedMailboxTakesAtOnce() async {
        let loop = Counting.spin().start()
        #expect(await loop.send(2) == .queued)
        #expect(await loop.emitter.send(3) == .queued)
        #expect(loop.state == 5)
        loop.stop()
        #expect(await loop.send(4) == .stopped)
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(16)])
    func sendingWhileThereIsRoom_neitherLeavesTheActorNorNeedsThePool(mailbox: MailboxCapacity) async {
        let runs = Runs()
        let loop = Counting.spin(mailbox: mailbox, .always(run: runs.start)).start()
        let (emitter, run) = (loop.emitter, runs[0])
        let returns = await CountingActor().returns { _ in
            for _ in 0..<3 {
                #expect(await loop.send(1) == .queued)
                #expect(await emitter.send(10) == .queued)
                #expect(await run.send(100) == .queued)
            }
        }
        #expect(returns == 0)
        #expect(loop.state == 333)
        loop.stop()
        runs.finishAll()
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases)
    func sendersWaitForRoomAndAreServedInOrder(overflow: MailboxCapacity.Overflow) async {
        let log = Counting.Log()
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let loop = loop(.bounded(2, overflow: overflow), log) { emitter in
            emitter.emit(10)
            // An immediate task has come as far as it can when this returns.
            for event in [20, 30, 40, 50] {
                tasks.change { $0.append(Task.immediate { await emitter.send(event) }) }
            }
        }
        loop.emit(1)
        for task in tasks.value { #expect(await task.value == .queued) }
        #expect(log.steps.map(\.event) == [1, 10, 20, 30, 40, 50])
        #expect(loop.counters.dropped == 0)
    }

    @Test func aWaitingTaskThatIsCancelledQueuesNothing() async {
        let log = Counting.Log()
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let loop = loop(.bounded(1), log) { emitter in
            emitter.emit(10)
            for event in [20, 30] {
                tasks.change { $0.append(Task.immediate { await emitter.send(event) }) }
            }
            tasks.value[0].cancel()
        }
        loop.emit(1)
        #expect(await tasks.value[0].value == .cancelled)
        #expect(await tasks.value[1].value == .queued)
        #expect(log.steps.map(\.event) == [1, 10, 30])
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(1)])
    func aCancelledTaskSendsNothing(mailbox: MailboxCapacity) async {
        let loop = Counting.spin(mailbox: mailbox).start()
        let gate = Gate()
        let task = Task.detached {
            gate.pass()
            return await loop.send(2)
        }
        task.cancel()
        gate.open()
        #expect(await task.value == .cancelled)
        #expect(loop.state == 0)
    }

    @Test func aLoopThatStopsAnswersWaitingSenders() async {
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let stop = Box<(@Sendable () -> Void)?>(nil)
        let loop = loop(.bounded(1)) { emitter in
            emitter.emit(10)
            tasks.change { $0.append(Task.immediate { await emitter.send(20) }) }
            stop.value?()
        }
        stop.value = { [weak loop] in loop?.stop() }
        loop.emit(1)
        #expect(await tasks.value[0].value == .stopped)
        #expect(loop.counters.steps == 1)
        #expect(loop.counters.discarded == 1)
    }

    @Test func aSendOfAReplacedRunIsAnswered() async {
        let runs = Runs()
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let log = Counting.Log()
        let loop = loop(.bounded(1), log, .onState("a", run: { state, run in runs.start(state, run) })) {
            emitter in
            emitter.emit(10)
            let run = runs[1]
            for event in [20, 30] {
                tasks.change { $0.append(Task.immediate { await run.send(event) }) }
            }
        }
        loop.emit(1)
        // 10 leaves the mailbox, so 20 has room; the state after 10 replaces the run.
        #expect(await tasks.value[0].value == .queued)
        #expect(await tasks.value[1].value == .cancelled)
        #expect(log.steps.map(\.event) == [1, 10])
        #expect(log.lines("withdrawn") == ["withdrawn 20 of a 2"])
        #expect(log.lines("late") == ["late 30 of a 2"])
        #expect(await runs[1].send(40) == .cancelled)
        loop.stop()
        runs.finishAll()
    }

    @Test func aSendOfAWrappedRunWaitsToo() async {
        let runs = Runs()
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let (log, tapped) = (Counting.Log(), Box<[Int]>([]))
        let source = Feedback<Int, Int>.always("a", run: { state, run in runs.start(state, run) })
            .onEventEmitted { event in tapped.change { $0.append(event) } }
        let loop = loop(.bounded(1), log, source) { emitter in
            emitter.emit(10)
            for event in [20, 30] {
                tasks.change { $0.append(Task.immediate { await runs[0].send(event) }) }
            }
        }
        loop.emit(1)
        for task in tasks.value { #expect(await task.value == .queued) }
        #expect(log.steps.map(\.event) == [1, 10, 20, 30])
        #expect(tapped.value == [20, 30])
        runs.finishAll()
        #expect(await runs[0].send(40) == .cancelled)
        #expect(loop.counters.late == 1)
    }

    @Test func anEventSentInACallOnTheLoopsExecutorIsPartOfIt() async {
        let tasks = Box<[Task<EmitResult, Never>]>([])
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            mailbox: .bounded(1),
            .onEvent(
                where: { _, event in event == 1 },
                run: { _, _, run in
                    emitter.value?.emit(10)
                    for event in [20, 30] {
                        tasks.change { $0.append(Task.immediate { await run.send(event) }) }
                    }
                    return .finished
                })
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        for task in tasks.value { #expect(await task.value == .queued) }
        #expect(log.steps.map(\.event) == [1, 10, 20, 30])
    }

    @Test func nothingThatManyTasksSendIsLost() async {
        let loop = Spin<[Int], Int>(
            initialState: [],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state.append(event)
                return true
            }, feedbacks: [], until: { $0.count == 4_000 }, mailbox: .bounded(4)
        ).start()
        let emitter = loop.emitter
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for index in 0..<500 { #expect(await emitter.send(sender * 1000 + index) == .queued) }
                }
            }
        }
        await loop.ended.wait()
        for sender in 0..<8 {
            let own = loop.state.filter { $0 / 1000 == sender }
            #expect(own == (0..<500).map { sender * 1000 + $0 })
        }
    }

    @Test func everySenderIsAnsweredWhenTheLoopStops() async {
        for limit in 1...20 {
            let loop = Counting.spin(
                executor: .pool, mailbox: .bounded(2), until: { $0 >= limit * 10 }
            ).start()
            let emitter = loop.emitter
            let queued = await withTaskGroup(of: UInt64.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var queued: UInt64 = 0
                        while await emitter.send(1) == .queued { queued += 1 }
                        return queued
                    }
                }
                return await group.reduce(0, +)
            }
            await loop.ended.wait()
            #expect(queued == loop.counters.steps + loop.counters.discarded)
        }
    }
}
