/// An expression whose value is written to memory as a value of a fixed type; safe to use from several
/// threads.
public struct Store: Sendable {
    /// The expression as written.
    public let text: String
    /// The slots of the frame that it reads; empty for a constant.
    public let reads: Set<Int>
    /// The field whose value is stored as it is, when the expression is just that: a caller may copy it instead.
    public let field: FieldReference?

    private let write: Write

    init(text: String, reads: Set<Int>, field: FieldReference?, write: Write) {
        (self.text, self.reads, self.field, self.write) = (text, reads, field, write)
    }

    /// Evaluates and stores over the initialised value at `memory`, which has the type's size and alignment
    /// and is not part of what the expression reads. Does not allocate when type and operands are scalars; a
    /// string field is stored by sharing its block.
    ///
    /// - Throws: `EvaluationFault` when there is no value, or it does not fit; the memory is then unchanged.
    public func evaluate(_ frame: Frame, into memory: UnsafeMutableRawPointer) throws(EvaluationFault) {
        // Safe because the caller promises initialised memory of the type that the write was made for.
        unsafe try write(frame, memory)
    }
}
