import App
import Glibc
import Interfaces
import PluginHost
import References

/// Row M3: what a call of an effect costs above the `ffi_call` in it: arguments that are pointed at, `errno`, exceptions,
/// the outcome.
struct DispatchRow {
    /// The folder with `step.so`.
    let plugins: String

    var calls = 5_000_000
    private var library: String { "\(plugins)/step.so" }

    func measure(rounds: Int) async throws -> Row {
        let call = try prepare()
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let raw = reference()
                return (above: try ours(call) - raw, raw: raw)
            }, reference: { (above: 0, raw: reference()) })
        return Row(
            name: "M3", title: "dispatch of an effect, above raw `ffi_call`",
            referenceTitle: "raw `ffi_call`",
            unit: "ns", judged: .figure, moreIsBetter: false, reach: 25, then: 10,
            samples: samples.map { Row.Sample(figure: $0.figure.above, reference: $0.reference.raw) })
    }

    func prepare() throws -> PreparedCall {
        let function = try CFunction(parsing: "int64_t step_toward(int64_t from, int64_t to)")
        return try SingleCall.prepare(
            library: library, signature: CallSignature(function, arguments: [.input, .input]))
    }

    func ours(_ call: PreparedCall) throws -> Double {
        var (from, to) = (Int64(0), Int64(calls))
        // As an app does: where the addresses of the arguments stand is known before the first call.
        // Safe because the cells and the outcome live as long as the call.
        let (first, second) = unsafe (call.addressCell(ofParameter: 0), call.addressCell(ofParameter: 1))
        let outcome = unsafe call.outcomeAddress
        let start = ContinuousClock.now
        // Safe because both live as long as the pointers, and the outcome begins with the result.
        try unsafe withUnsafeMutablePointer(to: &from) { from in
            try unsafe withUnsafePointer(to: &to) { to in
                for _ in 0..<calls {
                    unsafe first.storeBytes(of: UnsafeRawPointer(from), as: UnsafeRawPointer.self)
                    unsafe second.storeBytes(of: UnsafeRawPointer(to), as: UnsafeRawPointer.self)
                    try call.invoke()
                    unsafe from.pointee = outcome.load(as: Int64.self)
                }
            }
        }
        let seconds = Stopwatch.seconds(since: start)
        guard from == Int64(calls) else { throw BenchFault("M3 came to \(from)") }
        return seconds / Double(calls) * 1e9
    }

    private func reference() -> Double {
        let function = unsafe StepFunction.address(in: library)
        let start = ContinuousClock.now
        let reached = unsafe reference_calls(function, Int64(calls))
        precondition(reached == calls, "the reference makes every call")
        return Stopwatch.seconds(since: start) / Double(calls) * 1e9
    }
}
