import HostLoop
import Manifest
import PluginHost
import Records

/// Reports the steps and faults of one loop to the app's observer, in the terms of the manifest.
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
    private let journal: JournaledLoop?
    /// The instances, if the loop has a key: then this reports of all of them, and observes the loop that receives their
    /// messages.
    let kind = Lock<LoopKind?>(nil)
    // One thread at a time calls the observer: most calls come from the loop's executor, but effects that
    // emit fail on threads of their plugins. The lock is held around the observer alone. An observer may stop
    // the app. Another thread does that, so that neither the engine nor a plugin runs under this lock.
    private let reporting = Lock(())

    init(
        _ model: LoopModel, index: Int, origins: [String], steps: StepCount, observer: (any AppObserver)?,
        run: AppRun, journal: JournaledLoop?, time: (@Sendable () -> Timestamp)?
    ) {
        (self.model, self.index, self.origins, self.steps) = (model, index, origins, steps)
        (self.observer, self.run, self.time, self.journal) = (observer, run, time, journal)
    }

    /// Whether the app's observer sees steps.
    var reportsSteps: Bool { observer?.seesSteps ?? false }

    var seesSteps: Bool { model.key == nil && reportsSteps }

    func started(_ state: Record) {
        guard model.key == nil else { return }
        journal?.started(state, step: steps.current)
        report { $0.started(loop: model.name, key: nil, step: steps.current, state: state) }
    }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        let step = AppStep(step, of: model, message: step.event.message.map { origins[$0] }, now: time?())
        report { $0.stepped(step) }
    }

    /// The feedbacks have done something in a state.
    func explained(_ explanation: AppExplanation) { report { $0.explained(explanation) } }

    func faulted(_ fault: LoopFault) {
        note(AppFault(fault, in: model))
        run.faulted()
    }

    /// A run of a feedback had a fault, on any thread, and continues.
    ///
    /// - Parameter state: in which the run began.
    func faulted(_ fault: RunFault, in feedback: String, state: Record) {
        let key = model.key(of: state)
        note(
            AppFault(
                fault, loop: model.name, key: key, step: key.map { step(of: $0) } ?? steps.current,
                part: "feedback:\(feedback)"))
        run.faultedElsewhere()
    }

    /// A message could not become events; on the loop's executor.
    ///
    /// - Parameter origin: the message, as `AppEvent.message` names it.
    func faulted(_ fault: RunFault, at origin: Int) {
        note(appFault(fault, origins[origin]))
        run.faulted()
    }

    private func note(_ fault: AppFault) {
        journal?.faulted(fault)
        run.tally.faulted(fault)
        report { $0.faulted(fault) }
    }

    private func appFault(_ fault: RunFault, _ part: String) -> AppFault {
        AppFault(fault, loop: model.name, step: steps.current, part: part)
    }

    private func report(_ body: (any AppObserver) -> Void) {
        guard let observer else { return }
        reporting.withLock { _ in body(observer) }
    }

    func quiescent() { run.quiescent(loop: index) }

    // MARK: - Instances of a loop with a key

    /// The number of an instance's state.
    private func step(of key: LoopKey) -> UInt64 {
        kind.withLock { $0 }?.instances.counters(of: key)?.steps ?? 0
    }

    /// An instance has begun, or continues.
    func began(_ key: LoopKey, _ state: Record) {
        let step = step(of: key)
        report { $0.started(loop: model.name, key: key, step: step, state: state) }
    }

    /// An instance has made a step.
    func stepped(_ step: LoopStep<Record, AppEvent>, of key: LoopKey) {
        let step = AppStep(
            step, of: model, key: key, message: step.event.message.map { origins[$0] }, now: time?())
        report { $0.stepped(step) }
    }

    /// Something in an instance has failed, on its executor.
    func faulted(_ fault: LoopFault, of key: LoopKey) {
        note(AppFault(fault, in: model, key: key))
        run.faulted()
    }

    func stopped(_ reason: StopReason) {
        journal?.stopped(isDone: reason == .until)
        run.stopped(loop: index, reachedUntil: reason == .until)
    }
}
