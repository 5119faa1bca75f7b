/// The records that an expression reads while it is evaluated: one base address per slot.
///
/// The table and the records are borrowed for the evaluation and must not change during it. A slot that the expression
/// does not read may be nil; every slot that its scope names has an entry.
@safe
public struct Frame {
    let slots: UnsafePointer<UnsafeRawPointer?>

    /// A frame over a table of base addresses, each of a value in C layout.
    public init(_ slots: UnsafePointer<UnsafeRawPointer?>) {
        unsafe self.slots = slots
    }

    /// - Precondition: the slot is not nil.
    @inline(__always)
    func base(_ slot: Int) -> UnsafeRawPointer {
        // Safe because the maker of the frame filled every slot that the expression reads.
        guard let base = unsafe slots[slot] else {
            preconditionFailure("slot \(slot) is read and must be filled")
        }
        return unsafe base
    }
}
