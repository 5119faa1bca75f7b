/// A write of an expression's value over an initialised value of one type. When it throws, the memory is
/// unchanged.
@safe
struct Write: Sendable {
    private let body: @Sendable (Frame, UnsafeMutableRawPointer) throws(EvaluationFault) -> Void

    @safe
    init(_ body: @escaping @Sendable (Frame, UnsafeMutableRawPointer) throws(EvaluationFault) -> Void) {
        // Safe because the caller gives memory of the type that it was made for.
        unsafe self.body = unsafe body
    }

    /// The same write with a meter after the first `count` slots of the frame.
    func metered(after count: Int) -> Write {
        Write { frame, memory throws(EvaluationFault) in
            try frame.withMeter(in: count, of: count + 1) { frame throws(EvaluationFault) in
                // Safe because the memory is the caller's.
                unsafe try body(frame, memory)
            }
        }
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame, _ memory: UnsafeMutableRawPointer) throws(EvaluationFault) {
        // Safe because the caller gives memory of the type that this was made for.
        unsafe try body(frame, memory)
    }
}
