/// It is a linked list, as most loops have one or two feedbacks: an array would be one more object. A pass
/// over it counts no references. The counting would cost a step more than most reducers do.
@usableFromInline
struct FeedbackChain<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Slot = FeedbackSlot<State, Event>

    @usableFromInline var first: Slot?
    /// The slots by their indexes, for a loop that asks only some of them; otherwise empty.
    @usableFromInline var table: [Slot] = []

    @inlinable
    init() {}

    /// The loop keeps the slots until it closes, and it closes only between two passes.
    @inlinable @inline(__always)
    func forEach(_ body: (Slot) -> Void) {
        guard first != nil else { return }
        // Safe because the chain keeps each slot and does not change during a pass.
        var next: Unmanaged<Slot>? = unsafe Unmanaged.passUnretained(first!)
        while unsafe next != nil {
            unsafe next!._withUnsafeGuaranteedRef { slot in
                body(slot)
                // Safe because the chain keeps that slot too.
                unsafe next = slot.next == nil ? nil : Unmanaged.passUnretained(slot.next!)
            }
        }
    }

    /// The slot at `index`, which must exist.
    @inlinable
    subscript(index: Int32) -> Slot {
        if !table.isEmpty { return table[Int(index)] }
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

    /// Makes the table of all slots.
    @usableFromInline
    mutating func makeTable() {
        var slots: [Slot] = []
        forEach { slots.append($0) }
        table = slots
    }

    /// Unlinks the slots one by one: to release the chain as a whole would recurse once per slot.
    mutating func removeAll() {
        table = []
        var rest = first.take()
        while let slot = rest { rest = slot.next.take() }
    }
}
