import Diagnostics
import HostLoop
import Manifest
import Records

/// Reports the actions of a loop's feedbacks in each state. Made only for an observer that asks for it.
///
/// The engine reports the runs that start, end and are cancelled. The reasons why others do not run follow
/// from their conditions, which are evaluated here once more.
// Safe because the engine calls it on the loop's executor, one call at a time.
final class LoopExplainer: LoopObserver, @unchecked Sendable {
    private struct Part {
        var outcomes: [AppExplanation.Outcome] = []
        var began: Set<EffectRun> = []
    }

    private let model: LoopModel
    private let frame: ExpressionFrame
    private let time: @Sendable () -> Int64
    private let report: @Sendable (AppExplanation) -> Void
    private let names: [String: Int]
    private var parts: [Part]
    private var running: [Set<EffectRun>]
    private var step: UInt64 = 0
    private var state: Record
    private var event: AppEvent?
    // False once the state was explained, until another action.
    private var isComplete = true
    private var isFirst = true

    init(
        _ model: LoopModel, config: Record, time: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (AppExplanation) -> Void
    ) {
        (self.model, self.time, self.report, state) = (model, time, report, model.initialState)
        frame = ExpressionFrame(config: config, bindings: model.bindings)
        names = Dictionary(uniqueKeysWithValues: model.feedbacks.enumerated().map { ($1.name, $0) })
        parts = model.feedbacks.map { _ in Part() }
        running = model.feedbacks.map { _ in [] }
    }

    func started(_ state: Record) { begin(step: 0, state, nil) }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        explain()
        begin(step: step.index, step.after, step.event)
    }

    func effectStarted(_ run: EffectRun, by event: AppEvent?) {
        note(.ran, run) { explainer, index in
            explainer.parts[index].began.insert(run)
            explainer.running[index].insert(run)
        }
    }

    func effectEnded(_ run: EffectRun) {
        guard let index = names[run.feedback] else { return }
        running[index].remove(run)
        // A return right after the call is not reported.
        if !parts[index].began.contains(run) { note(.finished, run) { _, _ in } }
    }

    func effectCancelled(_ run: EffectRun) {
        note(.cancelled, run) { $0.running[$1].remove(run) }
    }

    func withdrawn(_ event: AppEvent, from run: EffectRun) { note(.withdrawn, run) { _, _ in } }

    func faulted(_ fault: LoopFault) {
        guard let index = fault.source.feedback.flatMap({ names[$0] }) else { return }
        parts[index].outcomes.append(.failed)
        isComplete = false
    }

    func quiescent() { explain() }

    func stopped(_ reason: StopReason) { explain() }

    private func begin(step: UInt64, _ state: Record, _ event: AppEvent?) {
        (self.step, self.state, self.event) = (step, state, event)
        (isComplete, isFirst) = (false, true)
    }

    private func note(
        _ outcome: AppExplanation.Outcome, _ run: EffectRun, _ more: (LoopExplainer, Int) -> Void
    ) {
        guard let index = names[run.feedback] else { return }
        if parts[index].outcomes.last != outcome { parts[index].outcomes.append(outcome) }
        more(self, index)
        isComplete = false
    }

    /// Reports the actions since the last report.
    private func explain() {
        guard !isComplete else { return }
        var feedbacks: [(name: String, outcomes: [AppExplanation.Outcome])] = []
        for index in model.feedbacks.indices {
            var outcomes = parts[index].outcomes
            if isFirst, !outcomes.contains(.ran), !outcomes.contains(.failed) {
                outcomes.append(reason(model.feedbacks[index], isRunning: !running[index].isEmpty))
            }
            if !outcomes.isEmpty { feedbacks.append((model.feedbacks[index].name, outcomes)) }
            parts[index] = Part()
        }
        (isComplete, isFirst) = (true, false)
        guard !feedbacks.isEmpty else { return }
        report(AppExplanation(loop: model.name, step: step, feedbacks: feedbacks))
    }

    /// The reason why a feedback was not called in this state.
    private func reason(_ feedback: FeedbackModel, isRunning: Bool) -> AppExplanation.Outcome {
        if feedback.isDisabled { return .disabled }
        guard let variant = variant(of: feedback) else {
            let isForEvent =
                feedback.trigger.events.isEmpty || feedback.trigger.events.contains { $0 == event?.index }
            return isForEvent ? .otherCase : isRunning ? .kept : .unchanged
        }
        // Conditions of runs for items concern single items.
        if case .each = feedback.trigger { return isRunning ? .kept : .unchanged }
        return refusal(variant) ?? (isRunning ? .kept : .unchanged)
    }

    /// The reason why a feedback was not called in a state, and the condition that was asked. Used without a loop.
    func reason(
        of feedback: Int, isRunning: Bool, in state: Record, after event: AppEvent?
    ) -> (outcome: AppExplanation.Outcome, condition: String?) {
        (self.state, self.event) = (state, event)
        let model = model.feedbacks[feedback]
        return (reason(model, isRunning: isRunning), variant(of: model)?.condition?.source.text)
    }

    /// The variant of a feedback for the present state and event.
    private func variant(of feedback: FeedbackModel) -> FeedbackVariant? {
        feedback.variants.first { variant in
            (variant.event == nil || variant.event == event?.index)
                && (variant.case == nil || variant.case == state.caseIndex)
        }
    }

    /// The outcome of a condition that keeps the feedback from running in this state; nil without one.
    private func refusal(_ variant: FeedbackVariant) -> AppExplanation.Outcome? {
        guard let condition = variant.condition else { return nil }
        // Safe because this object keeps state and event while the condition is evaluated.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.payload.unsafeBase)
        frame.setTime(time())
        // The loop need not have asked it in this step, so this may be the first time that it faults here.
        do throws(RunFault) { return try condition.holds(frame) ? nil : .rejected } catch { return .failed }
    }
}
