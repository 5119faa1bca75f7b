import Expressions
import Manifest

extension LoopModel {
    /// True when some expression of the loop reads `now`, so that the time is taken for each step.
    var readsNow: Bool {
        let now = FrameSlot.now.rawValue
        let inFeedbacks = feedbacks.flatMap(\.variants).contains { variant in
            [variant.condition, variant.failure].contains { $0?.reads.contains(now) ?? false }
                || variant.arguments.contains { $0.reads.contains(now) }
                || variant.batches.flatMap(\.emissions).contains { emission in
                    emission.condition?.reads.contains(now) ?? false
                        || emission.assignments.contains { $0.store.reads.contains(now) }
                }
        }
        return reducerReadsNow || inFeedbacks
    }

    /// True when some expression of a transition reads `now`, so that a step depends on its time.
    var reducerReadsNow: Bool {
        let now = FrameSlot.now.rawValue
        return transitions.joined().contains { transition in
            transition.condition?.reads.contains(now) ?? false
                || transition.assignments.contains { $0.store.reads.contains(now) }
        }
    }
}
