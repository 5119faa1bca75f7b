import HostLoop
import HostLoopFlow
import TestSupport
import Testing

/// `receive(on:)` and `subscribe(on:)`, and the states of loops that run.
@Suite(.timeLimit(.minutes(10))) struct FlowExecutorTests {
    private static func label() -> String { LoopExecutor.current?.label ?? "none" }

    @Test(arguments: [LoopExecutor.pool, .serial("own"), .blocking, .main])
    func valuesAndTheCompletionAreDeliveredOnTheExecutorInOrder(executor: LoopExecutor) async {
        let labels = Box<Set<String>>([])
        let probe = FlowProbe(
            Flow.from(0..<2_000).receive(on: executor)
                .onCompletion { _ in labels.change { $0.insert(Self.label()) } }
        ) { _, _ in labels.change { $0.insert(Self.label()) } }
        await probe.end()
        #expect(probe.values == Array(0..<2_000))
        #expect(labels.value == [executor.label])
    }

    @Test func onTheEmittingThreadNothingChanges() {
        #expect(FlowProbe(Flow.of(1, 2).receive(on: .caller)).lines == ["1", "2", "finished"])
    }

    @Test func theSourceStartsOnTheExecutor() async {
        let labels = Box<[String]>([])
        let probe = FlowProbe(
            Flow.just(1).onStart { labels.change { $0.append(Self.label()) } }.subscribe(on: .serial("own")))
        await probe.end()
        #expect(probe.lines == ["1", "finished"])
        #expect(labels.value == ["own"])
    }

    @Test func aValueThatWaitsIsDroppedWhenTheSubscriptionIsCancelled() async {
        let executor = LoopExecutor.serial("held")
        let held = Gate()
        executor.run { held.pass() }
        let source = HandSource<Int>()
        let probe = FlowProbe(source.flow.receive(on: executor))
        source.emit(1)
        probe.cancel()
        #expect(source.emit(2) == .cancelled)
        held.open()
        await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        #expect(probe.lines == [])
        #expect(source.cancelled == [0])
    }

    @Test func valuesForABoundedMailboxWaitWithinItsBound() async {
        let executor = LoopExecutor.serial("held")
        let held = Gate()
        let source = HandSource<Int>()
        let loop = Counting.spin(
            mailbox: .bounded(2), .always("source", source: { source.flow.receive(on: executor) })
        ).start()
        executor.run { held.pass() }
        #expect([1, 2, 4].map { source.emit($0) } == [.queued, .queued, .full])
        held.open()
        await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        #expect(loop.state == 3)
        #expect(loop.counters.dropped == 1)
    }

    @Test func theStatesOfARunningLoopAreAFlow() {
        let loop = Counting.spin().start()
        loop.emit(1)
        let first = FlowProbe(loop.stream)
        loop.emit(2)
        let second = FlowProbe(loop.stream)
        first.cancel()
        loop.stop()
        #expect(first.lines == ["1", "3"])
        #expect(second.lines == ["3", "finished"])
        #expect(FlowProbe(loop.stream).lines == ["3", "finished"])
    }

    @Test func theStatesOfAnObservedLoopContinueOverItsStarts() {
        var loop: ObservableLoop<Int, Int>? = ObservableLoop(Counting.spin(from: 5))
        let probe = FlowProbe(loop!.stream)
        loop?.emit(1)
        loop?.stop()
        #expect(loop?.emit(1) == .stopped)
        loop?.start()
        loop?.perform(3)
        #expect(probe.lines == ["5", "6", "5", "8"])
        loop = nil
        #expect(probe.lines == ["5", "6", "5", "8"])
    }

    @Test func aFeedbackStaysOnTheFirstExecutorThatItIsPutOn() async {
        for (inner, outer) in [
            (LoopExecutor.serial("inner"), LoopExecutor.pool), (.caller, .serial("outer")),
        ] {
            let label = Box<String?>(nil)
            let loop = Counting.spin(
                executor: .serial("loop"), until: { $0 == 1 },
                Feedback<Int, Int>.onState { state in
                    if state == 0 { label.value = Self.label() }
                    return 1
                }.execute(on: inner).execute(on: outer)
            ).start()
            await loop.ended.wait()
            #expect(label.value == (inner.label == "caller" ? "loop" : inner.label))
        }
    }
}
