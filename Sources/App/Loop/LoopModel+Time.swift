import Expressions
import Manifest

extension LoopModel {
    /// True when an expression of the loop reads `now`. Each step takes the time then.
    var readsNow: Bool {
        let now = FrameSlot.now.rawValue
        let inFeedbacks = feedbacks.flatMap(\.variants).contains { variant in
            [variant.condition, variant.failure].contains { $0?.reads.contains(now) ?? false }
                || variant.arguments.contains { $0.reads.contains(now) }
                || variant.each.map { $0.items.reads.union($0.key.reads).contains(now) } ?? false
                || variant.batches.contains { $0.reads(now) }
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

extension EmissionBatch {
    /// True when an expression of the batch reads this slot.
    fileprivate func reads(_ slot: Int) -> Bool {
        emissions.contains {
            $0.condition.reads(slot) || $0.assignments.contains { $0.store.reads.contains(slot) }
        }
            || messages.contains {
                $0.condition.reads(slot) || $0.assignments.contains { $0.store.reads.contains(slot) }
            }
    }
}

extension Condition? {
    fileprivate func reads(_ slot: Int) -> Bool { self?.reads.contains(slot) ?? false }
}
