import HostLoop
public import Manifest
import Records

/// Why a feedback does what it does now.
public struct FeedbackReason: Sendable {
    /// The number of the loop's state, and the state.
    public let state: AppState
    /// The result for the feedback in that state.
    public let outcome: AppExplanation.Outcome
    /// The numbers of its runs that last now.
    public let running: [UInt64]
    /// The text of the condition that is asked in that state; nil without one.
    public let condition: String?
    /// Whether the last event is known, on which the answer may depend.
    public let isEventKnown: Bool
}

extension AppPort {
    /// Says why a feedback runs now, or does not. Nothing of the loop is called.
    ///
    /// - Parameters:
    ///   - feedback: an index into `LoopModel.feedbacks`.
    ///   - loop: an index into `Manifest.loops`.
    /// - Throws: `NotBegun` before the loops have begun.
    public func reason(
        ofFeedback feedback: Int, loop: Int, in manifest: Manifest
    ) throws(NotBegun) -> FeedbackReason {
        let model = manifest.loops[loop]
        let present = try state(ofLoop: loop)
        let name = model.feedbacks[feedback].name
        let running = try running(loop).ended.running.filter { $0.feedback == name }.map(\.number)
        // While the loop is watched, its last event is kept.
        var event: AppEvent?
        let steps = watches[loop].kept.lazy.compactMap {
            if case .step(let step, _) = $0.content { step } else { nil }
        }
        if let step = steps.last, step.index == present.step,
            let index = model.events.firstIndex(where: {
                $0.name == step.event && $0.type == step.payload.type
            })
        {
            event = AppEvent(index: index, payload: step.payload)
        }
        let explainer = LoopExplainer(
            model, config: manifest.config, time: { WallClock.nanoseconds }, report: { _ in })
        let found = explainer.reason(
            of: feedback, isRunning: !running.isEmpty, in: present.state, after: event)
        return FeedbackReason(
            state: present, outcome: found.outcome, running: running, condition: found.condition,
            isEventKnown: event != nil || present.step == 0)
    }
}
