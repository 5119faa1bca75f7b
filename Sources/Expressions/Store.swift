/// An expression whose value is written to memory as a value of a fixed type; safe to use from several
/// threads.
public struct Store: Sendable {
    /// The expression as written.
    public let text: String

    private let write: Write

    init(text: String, write: Write) {
        (self.text, self.write) = (text, write)
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
