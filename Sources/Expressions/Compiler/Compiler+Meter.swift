import Records

extension Compiler {
    /// The slot of the meter.
    var meterSlot: Int { scope.slotCount }

    /// The slot of the meter within a macro; nil outside.
    var meter: Int? { locals.isEmpty ? nil : meterSlot }

    /// The number of slots of the frame in which this part is evaluated.
    var frameCount: Int { locals.isEmpty ? scope.slotCount : scope.slotCount + 1 + locals.count }

    /// Within a macro, charges steps for reading a regular expression or a time zone name that is not
    /// constant.
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

    /// Within a macro, charges steps for an operation that reads the whole operand. The limit stops a small
    /// expression from building or reading very large values.
    func metered(_ term: Term) -> Term {
        guard !locals.isEmpty else { return term }
        let range = term.range
        let code: Code
        switch term.code {
        case .string(let octets): code = .string(metered(octets, at: range))
        case .bytes(let octets): code = .bytes(metered(octets, at: range))
        case .memory(let location, .list(let element)):
            code = .memory(metered(location, itemsPerStep: 1, at: range), .list(element))
        case .boxed, .parts:
            guard term.constant == nil else { return term }
            let (compute, meter) = (term.code.boxed(at: range).computation, meterSlot)
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

    private func metered<Content>(_ octets: Octets<Content>, at range: Range<Int>) -> Octets<Content> {
        switch octets {
        case .constant: return octets
        case .memory(let location): return .memory(metered(location, itemsPerStep: 8, at: range))
        case .computed(let compute):
            let meter = meterSlot
            return .computed { frame throws(EvaluationFault) in
                let content = try compute(frame)
                // Safe because only the number of bytes is read.
                try frame.charge(unsafe content.withOctets { $0.count } / 8, meter: meter, at: range)
                return content
            }
        }
    }

    /// The location of a text or list. Its evaluation charges steps for the content.
    private func metered(_ location: MemoryLocation, itemsPerStep: Int, at range: Range<Int>)
        -> MemoryLocation
    {
        let meter = meterSlot
        // Safe because texts and lists are a pointer, followed by the count.
        return unsafe .computed { frame throws(EvaluationFault) in
            let memory = unsafe try location.pointer(in: frame)
            let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
            try frame.charge(count / itemsPerStep, meter: meter, at: range)
            return unsafe memory
        }
    }
}
