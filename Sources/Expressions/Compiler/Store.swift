/// An expression whose value is written to memory as a value of a fixed type. Several threads may use it.
public struct Store: Sendable {
    /// The expression as written.
    public let text: String
    /// What it reads of the frame; empty for a constant.
    public let reads: FrameReads
    /// The field, when the expression is only a field of that type. The caller may copy the field instead.
    public let field: FieldReference?

    private let write: Write

    init(text: String, reads: FrameReads, field: FieldReference?, write: Write) {
        (self.text, self.reads, self.field, self.write) = (text, reads, field, write)
    }

    /// Evaluates the expression and replaces the initialised value at `memory`. The memory must have the
    /// type's size and alignment, and the expression must not read it.
    ///
    /// The call does not allocate when type and operands are scalars. A stored string field shares its block.
    ///
    /// - Throws: `EvaluationFault` when there is no value or it does not fit. The memory is then unchanged.
    public func evaluate(_ frame: Frame, into memory: UnsafeMutableRawPointer) throws(EvaluationFault) {
        // Safe because the caller promises initialised memory of the type that the write was made for.
        unsafe try write(frame, memory)
    }
}
