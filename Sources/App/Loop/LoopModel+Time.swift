import Expressions
import Manifest

extension LoopModel {
    /// True when an expression of the loop reads `now`. Each step takes the time then.
    var readsNow: Bool {
        let now = FrameSlot.now.rawValue
        let inFeedbacks = feedbacks.flatMap(\.variants).contains { variant in
            // Callbacks and the events after a failure take the time themselves.
            ([variant.decisionReads] + variant.batches.map(\.reads)).contains { $0.contains(now) }
                || variant.failure?.reads.contains(now) ?? false
        }
        return reducerReadsNow || inFeedbacks
    }

    /// True when an expression of a transition reads `now`. A step depends on its time then.
    var reducerReadsNow: Bool {
        let now = FrameSlot.now.rawValue
        return transitions.joined().contains { transition in
            transition.condition?.reads.contains(now) ?? false
                || transition.assignments.contains { $0.store.reads.contains(now) }
        }
    }
}
