@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting
import Testing

/// Cancelling the runs of feedbacks by an id.
@Suite struct FeedbackCancellationTests {
    private let clock = ManualClock()
    private let log = Counting.Log()
    private let runs = Runs()

    private func start(_ feedbacks: Feedback<Int, Int>...) -> Loop<Int, Int> {
        Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: feedbacks, executor: .caller, clock: clock
        ).start(observers: [log])
    }

    private var pending: Feedback<Int, Int> {
        .onState("a", where: { $0 > 0 }, strategy: .continueOnNewState, run: runs.start)
    }

    @Test func aRunIsCancelledByItsIDAndFinishesWhenItsEffectDoes() {
        let loop = start(pending.cancellable(id: "load"))
        let cancelled = Box(0)
        loop.emit(1)
        runs[0].onCancel { cancelled.change { $0 += 1 } }
        loop.cancel(id: "other")
        #expect(cancelled.value == 0)
        loop.cancel(id: "load")
        loop.cancel(id: "load")
        #expect(cancelled.value == 1)
        #expect(runs[0].isCancelled)
        #expect(runs[0].emit(10) == .cancelled)
        #expect(loop.counters.late == 1)
        #expect(loop.ended.running.count == 1)
        runs[0].finish()
        #expect(loop.ended.running.isEmpty)
        #expect(log.lines.contains("end a 1"))
        #expect(log.lines("cancel") == [])
        #expect(loop.state == 1)
    }

    @Test func theFailureOfACancelledRunIsIgnored() {
        let loop = start(pending.catch { _ in 100 }.cancellable(id: 1), pending.cancellable(id: 1).retry(3))
        loop.emit(1)
        loop.cancel(id: 1)
        for run in [runs[0], runs[1]] { run.fail(Counting.Failure()) }
        clock.advance(by: .seconds(1))
        #expect(loop.state == 1)
        #expect(loop.counters.faults == 0)
        #expect(runs.inputs.count == 2)
        #expect(loop.ended.running.isEmpty)
    }

    @Test func eventsOfACancelledRunStayQueued() {
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { [runs] state, run in
                run.emit(10)
                return runs.start(state, run)
            }.cancellable(id: 1),
            .onEvent(
                "b", strategy: .continueOnNewState, flow: { _, event in event == 1 ? .cancel(id: 1) : .none })
        )
        loop.emit(1)
        #expect(runs[0].isCancelled)
        #expect(loop.state == 11)
    }

    @Test func aRunThatStartsMayCancelTheOthers() {
        let loop = start(pending.cancellable(id: 1, cancelInFlight: true))
        for _ in 0..<3 { loop.emit(1) }
        #expect((0..<3).map { runs[$0].isCancelled } == [true, true, false])
    }

    @Test func flowsTimersAndKeysAreCancelledToo() {
        let source = HandSource<Int>()
        let loop = start(
            Feedback.onState(
                "flow", where: { $0 == 1 }, strategy: .continueOnNewState, flow: { _ in source.flow }
            )
            .cancellable(id: 1),
            Feedback.onState("delay", where: { $0 == 1 }, strategy: .continueOnNewState, effect: { _ in 100 })
                .delay(for: .seconds(1)).cancellable(id: 1),
            Feedback.onEach("each", requests: { Set([$0, -1]) }, flow: { (_: Int) in source.flow })
                .cancellable(id: 1))
        loop.emit(1)
        #expect(loop.ended.running.count == 4)
        loop.cancel(id: 1)
        #expect(loop.ended.running.isEmpty)
        #expect(clock.timerCount == 0)
        let started = source.count
        // A key that stays counts as answered, a new one starts.
        loop.emit(1)
        #expect(source.count == started + 1)
    }

    @Test func idsBelongToOneLoop() {
        let spin = Counting.spin(pending.cancellable(id: 1))
        let (first, second) = (spin.start(), spin.start())
        first.emit(1)
        second.emit(1)
        second.emitter.cancel(id: 1)
        #expect(!runs[0].isCancelled)
        #expect(runs[1].isCancelled)
    }

    @Test func aRunThatIsOverLeavesNothingUnderItsID() {
        let loop = start(
            pending.cancellable(id: 1), Feedback.onState("b", effect: { _ in nil }).cancellable(id: 1))
        #expect(loop.core.cancellationIDs.isEmpty)
        loop.emit(1)
        #expect(!loop.core.cancellationIDs.isEmpty)
        runs[0].finish()
        #expect(loop.core.cancellationIDs.isEmpty)
        loop.emit(1)
        runs[1].onCancel { [runs] in runs[1].finish() }
        let core = loop.core
        loop.stop()
        #expect(core.cancellationIDs.isEmpty)
    }
}
