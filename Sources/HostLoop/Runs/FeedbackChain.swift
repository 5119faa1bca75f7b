/// The slots of a loop's feedbacks in the order of declaration.
///
/// A chain, as most loops have one or two feedbacks: an array would be one more object. A pass over it counts no references,
/// which would cost a step more than most reducers do.
@usableFromInline
struct FeedbackChain<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Slot = FeedbackSlot<State, Event>

    @usableFromInline var first: Slot?

    @inlinable
    init() {}

    /// Calls `body` with each slot in turn.
    ///
    /// The loop keeps the slots until it closes, which it does between two passes.
    @inlinable @inline(__always)
    func forEach(_ body: (Slot) -> Void) {
        guard first != nil else { return }
        // Safe because the chain, which keeps each slot, does not change during a pass.
        var next: Unmanaged<Slot>? = unsafe Unmanaged.passUnretained(first!)
        while unsafe next != nil {
            unsafe next!._withUnsafeGuaranteedRef { slot in
                body(slot)
                // Safe for the same reason.
                unsafe next = slot.next == nil ? nil : Unmanaged.passUnretained(slot.next!)
            }
        }
    }

    /// The slot at `index`, which must be there.
    @inlinable
    subscript(index: Int32) -> Slot {
        var slot = first!
        while slot.index != index { slot = slot.next! }
        return slot
    }

    /// Adds a slot before the others.
    @inlinable
    mutating func prepend(_ slot: Slot) {
        slot.next = first.take()
        first = slot
    }

    /// Takes the chain apart: to release it as a whole would recurse once per slot.
    mutating func removeAll() {
        var rest = first.take()
        while let slot = rest { rest = slot.next.take() }
    }
}
