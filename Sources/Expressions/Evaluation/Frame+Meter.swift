import Diagnostics
import Records

/// An evaluation that contains macros counts its steps, so that none takes for ever or fills the memory: one for
/// each element, and more for large values that are compared or built along the way.
extension Frame {
    /// Steps that one evaluation may take.
    static let maximumSteps = 1_000_000

    /// A frame like this one with a meter in a slot of its first `count`, for the time of `body`.
    func withMeter<Result>(
        in meter: Int, of count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        var steps = Self.maximumSteps
        // Safe because the frame has these slots, and neither table nor counter is kept by the body.
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

    /// Takes steps from the meter in a slot.
    ///
    /// - Throws: when they are used up.
    func charge(_ count: Int, meter: Int, at range: Range<Int>) throws(EvaluationFault) {
        // Safe because the slot holds the counter that `withMeter` put there, which nobody else uses meanwhile.
        let steps = unsafe UnsafeMutableRawPointer(mutating: base(meter)).assumingMemoryBound(to: Int.self)
        unsafe steps.pointee -= count
        guard unsafe steps.pointee >= 0 else {
            throw EvaluationFault(
                .tooMuchWork, "the evaluation takes more than \(Self.maximumSteps) steps", at: range)
        }
    }

    /// Takes steps for finding a key among entries, which are looked at one by one; none without a meter.
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
    /// The steps that looking at all of it takes.
    var weight: Int {
        switch self {
        case .string(let text): text.utf8.count / 8
        case .bytes(let bytes): bytes.count / 8
        case .list(let values): values.reduce(values.count) { $0 + $1.weight }
        case .map(let entries): entries.reduce(entries.count) { $0 + $1.key.weight + $1.value.weight }
        default: 0
        }
    }
}
