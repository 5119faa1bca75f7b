import Diagnostics
import HostLoop
import Manifest
import PluginHost
import Records

/// Translates what one loop tells into the terms of its manifest.
// Safe because the engine calls it on the loop's executor only, and `reducer` belongs to the same loop.
final class LoopReporter: LoopObserver, @unchecked Sendable {
    private let model: LoopModel
    private let index: Int
    private let reducer: DeclarativeReducer
    private let observer: (any AppObserver)?
    private let run: AppRun

    init(_ model: LoopModel, index: Int, reducer: DeclarativeReducer, observer: (any AppObserver)?, run: AppRun) {
        (self.model, self.index, self.reducer) = (model, index, reducer)
        (self.observer, self.run) = (observer, run)
    }

    var seesSteps: Bool { observer != nil }

    func started(_ state: Record) {
        observer?.started(loop: model.name, state: state)
    }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        observer?.stepped(
            AppStep(
                loop: model.name, index: step.index, event: model.events[step.event.index].name,
                payload: step.event.payload, before: step.before, after: step.after,
                origin: step.origin.run.map { "feedback:\($0.feedback)" } ?? "external"))
    }

    func faulted(_ fault: LoopFault) {
        let part = fault.source.feedback.map { "feedback:\($0)" } ?? (fault.source == .until ? "until" : "reducer")
        let diagnostic =
            (fault.error as? RunFault)?.diagnostic
            ?? Diagnostic(.error, .unexpectedFailure, "\(fault.error)")
        report(AppFault(loop: model.name, step: fault.step, part: part, diagnostic: diagnostic))
    }

    func report(_ fault: AppFault) {
        observer?.faulted(fault)
        run.faulted()
    }

    func quiescent() { run.quiescent(loop: index) }

    func stopped(_ reason: StopReason) { run.stopped(loop: index, reachedUntil: reason == .until) }
}
