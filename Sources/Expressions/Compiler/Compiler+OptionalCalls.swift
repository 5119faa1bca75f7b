import Diagnostics
import Records

extension Compiler {
    /// Compiles `or` and `orValue`. A fault of the argument counts only if the optional has no value.
    @inline(never)
    mutating func compileAlternative(
        _ key: String, symbol: String, _ target: [Term], _ arguments: [Syntax], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        var terms = target.map { optional(unwrapped($0), for: "`\(symbol)`") ?? $0 }
        terms += try conditionally { compiler throws(TextFault) in
            var terms: [Term] = []
            for argument in arguments { terms.append(try compiler.compile(argument)) }
            return terms
        }
        terms = adapted(terms)
        if terms.count == 2, case .optionalValue(let content) = terms[0].type {
            let isOptional = key == ".or"
            if isOptional { terms[1] = optional(unwrapped(terms[1]), for: "`\(symbol)`") ?? terms[1] }
            let type = terms[1].type
            terms[0] = terms[0].adapted(to: isOptional ? type : .optionalValue(type))
            terms[1] = terms[1].adapted(to: isOptional ? .optionalValue(content) : content)
            let other = isOptional ? terms[1].type.content : terms[1].type
            guard scope.isUntyped || other.mayReplace(content) else {
                throw noOverload(key, symbol, terms, syntax)
            }
        }
        return try resolve(key, symbol: symbol, terms, syntax)
    }

    /// Compiles `target.optMap(name, body)` and `target.optFlatMap(name, body)`.
    mutating func compileOptionalMap(
        _ macro: OptionalMacro, _ target: Syntax, _ name: String, _ body: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let part = "`\(macro.rawValue)`"
        let optional = metered(try compileOptional(target, for: part))
        let (slot, content) = (localSlot, optional.type.content)
        var result = try conditionally { compiler throws(TextFault) in
            try compiler.compile(body, with: name, of: content)
        }
        if macro == .optFlatMap {
            guard let flat = self.optional(unwrapped(result), for: part) else {
                throw TextFault(
                    .wrongType, "\(part) needs an optional as its value, found \(result.type.name)",
                    at: result.range, help: ["write `optMap`"])
            }
            result = flat
        }
        let (compute, computeResult) = (
            optional.code.boxed(at: optional.range).computation,
            result.code.boxed(at: result.range).computation
        )
        let isFlat = macro == .optFlatMap
        let mapped = Operand<Value>.computing { frame throws(EvaluationFault) in
            guard case .optional(let content?) = try compute(frame) else { return .optional(nil) }
            let value = try frame.withValues([content], after: slot, computeResult.compute)
            return isFlat ? value : .optional(value)
        }
        return Term(
            type: isFlat ? result.type : .optionalValue(result.type), code: .boxed(mapped), syntax: syntax)
    }
}

extension ExpressionType {
    /// True when a value of this type may take the place of a missing value of the other one.
    fileprivate func mayReplace(_ type: ExpressionType) -> Bool {
        if self == .null || wrapped == type.wrapped { return true }
        return mayEqual(type) && !(wrapped.isNumeric && type.wrapped.isNumeric)
    }
}
