import TestSupport
import Testing

@testable import HostLoop

/// The handlers of a cancelled run are called, however early its effect sees the cancellation and ends the run.
@Suite(.timeLimit(.minutes(10))) struct CancelledEndTests {
    private let cancelled = Box(0)
    private let runs = Runs()

    /// A loop whose event 1 starts a run, whose cancellation is counted. The run emits 100, which the next event, 2,
    /// withdraws.
    ///
    /// - Parameters:
    ///   - executor: where the run executes; nil: on that of the loop.
    ///   - onWithdrawal: called when 100 is withdrawn. The run is cancelled then, and no handler was called yet.
    private func start(
        on executor: LoopExecutor? = nil, onWithdrawal: @escaping @Sendable () -> Void = {},
        _ effect: @escaping @Sendable (Int, Run<Int>) throws -> EffectStatus
    ) -> Loop<Int, Int> {
        let (hasAsked, hasEmitted) = (Gate(), Gate())
        let feedback = Feedback<Int, Int>.onState("a", where: { $0 == 1 }) { [cancelled] state, run in
            run.onCancel { cancelled.change { $0 += 1 } }
            if executor != nil { hasAsked.pass() }
            run.emit(100)
            hasEmitted.open()
            return try effect(state, run)
        }
        let next = Feedback<Int, Int>.onEvent("next", where: { _, event in event == 1 }) { _, _, run in
            run.emit(2)
            hasAsked.open()
            if executor != nil { hasEmitted.pass() }
            return .finished
        }
        let log = Counting.Log { if $0.hasPrefix("withdrawn 100") { onWithdrawal() } }
        let spin =
            executor.map { Counting.spin(feedback.execute(on: $0), next) } ?? Counting.spin(next, feedback)
        return spin.start(observers: [log])
    }

    @Test func aRunThatFinishesThen_callsThem() {
        let loop = start(
            onWithdrawal: { [runs, cancelled] in
                #expect(runs[0].isCancelled && cancelled.value == 0)
                runs[0].finish()
            },
            { [runs] state, run in runs.start(state, run) })
        loop.emit(1)
        #expect(cancelled.value == 1)
        #expect(loop.ended.running.isEmpty)
    }

    @Test func aCallElsewhereThatReturnsThen_callsThem() {
        let elsewhere = LoopExecutor.serial("elsewhere")
        let (isCancelled, hasReturned) = (Gate(), Gate())
        let loop = start(
            on: elsewhere,
            onWithdrawal: { [cancelled] in
                #expect(cancelled.value == 0)
                isCancelled.open()
                elsewhere.run { hasReturned.open() }
                hasReturned.pass()
            },
            { _, run in
                isCancelled.pass()
                #expect(run.isCancelled)
                return .finished
            })
        loop.emit(1)
        #expect(cancelled.value == 1)
        #expect(loop.ended.running.isEmpty)
    }

    /// A loop whose event 1 starts a run behind a modifier.
    private func startBehindModifier(_ begins: @escaping @Sendable (Run<Int>) -> Void = { _ in }) -> Loop<
        Int, Int
    > {
        Counting.spin(
            .onState("a", where: { $0 == 1 }) { [runs, cancelled] state, run in
                begins(run)
                return try RunRelay(run).call { inner in
                    inner.onCancel { cancelled.change { $0 += 1 } }
                    return runs.start(state, inner)
                }
            }
        ).start()
    }

    @Test(arguments: [false, true])
    func aRunBehindAModifierThatFinishesThen_callsThem(stops: Bool) {
        // The first handler of the outer run comes before the one that cancels the relay.
        let loop = startBehindModifier { [runs] run in run.onCancel { runs[0].finish() } }
        loop.emit(1)
        #expect(cancelled.value == 0)
        if stops { loop.stop() } else { loop.emit(1) }
        #expect(cancelled.value == 1)
        #expect(loop.ended.running.isEmpty)
    }

    @Test func aRunThatFinishesWhileAnotherLoopContinuesWithoutIt_callsThem() {
        let loop = startBehindModifier()
        loop.emit(1)
        #expect(loop.park { _ in })
        let (next, cancel) = Counting.spin().loop(
            observers: [], inPlaceOf: loop, LoopSuccession(feedbacks: [:]) { $0 })
        #expect(runs[0].isCancelled)
        runs[0].finish()
        #expect(cancelled.value == 0)
        cancel()
        next.unpark()
        #expect(cancelled.value == 1)
        #expect(loop.ended.running.isEmpty)
    }
}
