import Diagnostics
import Records

/// An evaluation with macros counts its steps. The limit keeps it from running forever and from filling the
/// memory.
/// Each element takes one step. Large values that are compared or built take more.
extension Frame {
    /// The limit of steps of one evaluation.
    static let maximumSteps = 1_000_000

    /// Runs `body` with a frame of the first `count` slots of this one. The slot `meter` holds the counter of
    /// steps.
    func withMeter<Result>(
        in meter: Int, of count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        var steps = Self.maximumSteps
        // Safe because the frame has these slots, and the body keeps neither the table nor the counter.
        let result: Swift.Result<Result, EvaluationFault> = unsafe withUnsafeMutablePointer(to: &steps) {
            steps in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count) { table in
                for slot in 0..<count where slot != meter {
                    unsafe table.initializeElement(at: slot, to: slots[slot])
                }
                unsafe table.initializeElement(at: meter, to: UnsafeRawPointer(steps))
                do throws(EvaluationFault) {
                    return unsafe .success(try body(Frame(UnsafePointer(table.baseAddress!))))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// Subtracts steps from the counter in the slot `meter`.
    ///
    /// - Throws: when too few steps are left.
    func charge(_ count: Int, meter: Int, at range: Range<Int>) throws(EvaluationFault) {
        // Safe because the slot holds the counter of `withMeter`, and only this evaluation uses it.
        let steps = unsafe UnsafeMutableRawPointer(mutating: base(meter)).assumingMemoryBound(to: Int.self)
        unsafe steps.pointee -= count
        guard unsafe steps.pointee >= 0 else {
            throw EvaluationFault(
                .tooMuchWork, "the evaluation takes more than \(Self.maximumSteps) steps", at: range)
        }
    }

    /// Charges the steps of a linear search for a key. Does nothing without a meter.
    func chargeLookUp(
        in entries: [Value.MapEntry], meter: Int?, at range: Range<Int>
    ) throws(EvaluationFault) {
        if let meter { try charge(entries.count / 16, meter: meter, at: range) }
    }
}

/// A computation that runs with a meter.
struct MeteredSource<Computation: Source>: Source {
    let source: Computation
    let count: Int

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Computation.Output {
        try frame.withMeter(in: count, of: count + 1) { frame throws(EvaluationFault) in try source(frame) }
    }
}

extension Value {
    /// The number of steps that reading the whole value takes.
    var weight: Int {
        switch self {
        case .string(let text): text.utf8.count / 8
        case .bytes(let bytes): bytes.count / 8
        case .list(let values): values.reduce(values.count) { $0 + $1.weight }
        case .map(let entries): entries.reduce(entries.count) { $0 + $1.key.weight + $1.value.weight }
        case .optional(let content): content?.weight ?? 0
        default: 0
        }
    }
}
