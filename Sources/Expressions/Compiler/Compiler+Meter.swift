import Records

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
        let range = term.range
        let code: Code
        switch term.code {
        case .string(let octets): code = .string(metered(octets, at: range))
        case .bytes(let octets): code = .bytes(metered(octets, at: range))
        case .place(let place, .list(let element)):
            code = .place(metered(place, itemsPerStep: 1, at: range), .list(element))
        case .boxed(let operand) where operand.constant == nil:
            let (compute, meter) = (operand.computation, meterSlot)
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
        case .memory(let place): return .memory(metered(place, itemsPerStep: 8, at: range))
        case .computed(let compute):
            let meter = meterSlot
            return .computed { frame throws(EvaluationFault) in
                let content = try compute(frame)
                // Safe because only their number is taken.
                try frame.charge(unsafe content.withOctets { $0.count } / 8, meter: meter, at: range)
                return content
            }
        }
    }

    /// The place of a text or list, which costs steps for what is in it.
    private func metered(_ place: Place, itemsPerStep: Int, at range: Range<Int>) -> Place {
        let meter = meterSlot
        // Safe because texts and lists are a pointer and, behind it, the count.
        return unsafe .computed { frame throws(EvaluationFault) in
            let memory = unsafe try place.pointer(in: frame)
            let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
            try frame.charge(count / itemsPerStep, meter: meter, at: range)
            return unsafe memory
        }
    }
}
