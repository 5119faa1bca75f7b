import HostLoop
import Manifest
import PluginHost
import Records

/// Translates what one loop tells into the terms of its manifest.
final class LoopReporter: LoopObserver {
    private let model: LoopModel
    private let index: Int
    private let steps: StepCount
    // By `AppEvent.message`.
    private let origins: [String]
    private let observer: (any AppObserver)?
    private let run: AppRun
    // The time of the step, when the reducer reads it; asked on the loop's executor only.
    private let time: (@Sendable () -> Timestamp)?
    // Keeps calls of the observer apart: effects that emit later fail on threads of their plugins,
    // everything else comes from the loop's executor. Held around the observer alone. That may stop the
    // app, which is done on another thread then, so that neither engine nor plugin runs under this lock,
    // and nobody waits for it in vain.
    private let telling = Lock(())

    init(
        _ model: LoopModel, index: Int, origins: [String], steps: StepCount, observer: (any AppObserver)?,
        run: AppRun, time: (@Sendable () -> Timestamp)?
    ) {
        (self.model, self.index, self.origins, self.steps) = (model, index, origins, steps)
        (self.observer, self.run, self.time) = (observer, run, time)
    }

    var seesSteps: Bool { observer?.seesSteps ?? false }

    func started(_ state: Record) {
        tell { $0.started(loop: model.name, step: steps.current, state: state) }
    }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        let step = AppStep(step, of: model, message: step.event.message.map { origins[$0] }, now: time?())
        tell { $0.stepped(step) }
    }

    /// What the feedbacks did in a state.
    func explained(_ explanation: AppExplanation) { tell { $0.explained(explanation) } }

    func faulted(_ fault: LoopFault) {
        tell(AppFault(fault, of: model))
        run.faulted()
    }

    /// An effect that emits failed at an emission, on any thread, and goes on.
    func faulted(_ fault: RunFault, in feedback: String) {
        tell(
            AppFault(
                loop: model.name, step: steps.current, part: "feedback:\(feedback)",
                diagnostic: fault.diagnostic))
        run.faultedElsewhere()
    }

    /// A message could not become events; on the loop's executor.
    func faulted(_ failure: MessageReceiver.Failure) {
        tell(
            AppFault(
                loop: model.name, step: steps.current, part: origins[failure.origin],
                diagnostic: failure.fault.diagnostic))
        run.faulted()
    }

    private func tell(_ fault: AppFault) { tell { $0.faulted(fault) } }

    private func tell(_ what: (any AppObserver) -> Void) {
        guard let observer else { return }
        telling.withLock { _ in what(observer) }
    }

    func quiescent() { run.quiescent(loop: index) }

    func stopped(_ reason: StopReason) { run.stopped(loop: index, reachedUntil: reason == .until) }
}
