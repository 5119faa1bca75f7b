import Diagnostics
import Records

/// An evaluation that contains macros counts its steps, so that none takes for ever or fills the memory: one for
/// each element, and more for large values that are compared or built along the way.
extension Frame {
    /// Steps that one evaluation may take.
    static let maximumSteps = 1_000_000

    /// A frame like this one with a meter in the slot behind its first `count`, for the time of `body`.
    func withMeter<Result>(
        after count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        var steps = Self.maximumSteps
        // Safe because the frame has `count` slots, and neither table nor counter is kept by the body.
        let result: Swift.Result<Result, EvaluationFault> = unsafe withUnsafeMutablePointer(to: &steps) {
            steps in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count + 1) { table in
                for slot in 0..<count { unsafe table.initializeElement(at: slot, to: slots[slot]) }
                unsafe table.initializeElement(at: count, to: UnsafeRawPointer(steps))
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
}

/// A computation that runs with a meter.
struct MeteredSource<Computation: Source>: Source {
    let source: Computation
    let count: Int

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Computation.Output {
        try frame.withMeter(after: count) { frame throws(EvaluationFault) in try source(frame) }
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

extension Compiler {
    /// The slot of the meter.
    var meterSlot: Int { scope.slotCount }

    /// The slots that a frame has where this part is evaluated.
    var frameCount: Int { locals.isEmpty ? scope.slotCount : scope.slotCount + 1 + locals.count }

    /// A regular expression or the name of a time zone that is not known at load: within a macro, compiling or reading
    /// it takes steps.
    func meteredReading(_ term: Term) -> Term {
        guard !locals.isEmpty, term.constant == nil else { return term }
        let (meter, range) = (meterSlot, term.range)
        let compute = term.code.boxed(at: range).computation
        let operand = Operand<Value>.computing { frame throws(EvaluationFault) in
            try frame.charge(100, meter: meter, at: range)
            return try compute(frame)
        }
        return Term(
            type: term.type, code: Code(unboxing: operand, as: term.type, at: range), syntax: term.syntax)
    }

    /// The operand of something that looks at all of it: within a macro it takes steps, so that a small
    /// expression can neither build nor walk values without bound.
    func metered(_ term: Term) -> Term {
        guard !locals.isEmpty else { return term }
        let (meter, range) = (meterSlot, term.range)
        let code: Code
        switch term.code {
        case .string(.computed(let compute)):
            code = .string(
                .computed { frame throws(EvaluationFault) in
                    let text = try compute(frame)
                    try frame.charge(text.utf8.count / 8, meter: meter, at: range)
                    return text
                })
        case .bytes(.computed(let compute)):
            code = .bytes(
                .computed { frame throws(EvaluationFault) in
                    let bytes = try compute(frame)
                    try frame.charge(bytes.count / 8, meter: meter, at: range)
                    return bytes
                })
        case .boxed(let operand) where operand.constant == nil:
            let compute = operand.computation
            code = .boxed(
                .computing { frame throws(EvaluationFault) in
                    let value = try compute(frame)
                    try frame.charge(value.weight, meter: meter, at: range)
                    return value
                })
        default: return term
        }
        return Term(type: term.type, code: code, syntax: term.syntax)
    }
}
