import App
import Glibc
import Interfaces
import PluginHost
import References

/// Row M3: the cost of a call of an effect without the `ffi_call` in it: `errno`, exceptions, the outcome.
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
        return try PreparedCall(
            library: library, signature: CallSignature(function, arguments: [.input, .input]))
    }

    func ours(_ call: PreparedCall) throws -> Double {
        // As in an app, the places of the arguments and the outcome are known before the first call.
        // Safe because they live as long as the call, and are of these types.
        let (from, to) = unsafe (call.inputAddress(0), call.inputAddress(1))
        unsafe to.storeBytes(of: Int64(calls), as: Int64.self)
        let outcome = unsafe call.outcomeAddress
        unsafe from.storeBytes(of: 0, as: Int64.self)
        let start = ContinuousClock.now
        // Safe because the outcome begins with the result.
        for _ in 0..<calls {
            try call.invoke()
            unsafe from.copyMemory(from: outcome, byteCount: 8)
        }
        let seconds = Stopwatch.seconds(since: start)
        let reached = unsafe from.load(as: Int64.self)
        guard reached == Int64(calls) else { throw BenchFault("M3 ended at \(reached)") }
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
