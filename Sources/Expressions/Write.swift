/// Writes the value of an expression over an initialised value of one type; leaves it as it was on a throw.
@safe
struct Write: Sendable {
    private let body: @Sendable (Frame, UnsafeMutableRawPointer) throws(EvaluationFault) -> Void

    @safe
    init(_ body: @escaping @Sendable (Frame, UnsafeMutableRawPointer) throws(EvaluationFault) -> Void) {
        // Safe because whoever calls it gives memory of the type that it was made for.
        unsafe self.body = unsafe body
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame, _ memory: UnsafeMutableRawPointer) throws(EvaluationFault) {
        // Safe because the caller gives memory of the type that this was made for.
        unsafe try body(frame, memory)
    }
}
