import Diagnostics
import Records

extension Compiler {
    /// Compiles the forms that only optionals have. It is not a part of `compileKind`, which calls itself, so that
    /// the stack of that function stays small.
    @inline(never)
    mutating func compileOptionalKind(_ syntax: Syntax) throws(TextFault) -> Term {
        switch syntax.kind {
        case .optionalSelect(let operand, let field, let fieldRange):
            let base = unwrapped(try compile(operand, selecting: field))
            return try optionalField(field, at: fieldRange, of: base, operand, syntax)
        case .optionalIndex(let operand, let index):
            let base = unwrapped(try compile(operand))
            let index = try compileIndex(index, of: base)
            return try optionalElement(of: base, at: index, syntax)
        case .optionalMap(let macro, let target, let name, let body):
            return try compileOptionalMap(macro, target, name, body, syntax)
        case .optionalElement(let element):
            let optional = try compileOptional(element, for: "`?`")
            return Term(type: optional.type, code: optional.code, syntax: syntax)
        default: preconditionFailure("the caller lets only forms of optionals through")
        }
    }

    /// Compiles `base.?field`, and `base.field` of an optional. A field that is null has no value.
    func optionalField(
        _ field: String, at fieldRange: Range<Int>, of base: Term, _ operand: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let type: ExpressionType
        switch base.type.within {
        case .record(let record):
            let found = try self.field(field, at: fieldRange, of: record, operand)
            type = ExpressionType(found.type).wrapped
            let value: Operand<Value>
            if case .memory(let location, .record) = base.code {
                let code = Code(location.advanced(by: found.offset), found.type)
                value = code.boxed(at: syntax.range).map { .optional($0) }
            } else {
                value = optionalField(field, at: fieldRange, of: base)
            }
            let nothing = Value.optional(.null)
            let code = found.type.isOptional ? value.map { $0 == nothing ? .optional(nil) : $0 } : value
            return metered(Term(type: .optionalValue(type), code: .boxed(code), syntax: syntax))
        case .map(let key, let value):
            guard key.mayEqual(.string) else { throw noFields(base, field, at: fieldRange) }
            type = value
        case .dynamic: type = .dynamic
        default: throw noFields(base, field, at: fieldRange)
        }
        let code = Code.boxed(optionalField(field, at: fieldRange, of: base))
        return Term(type: .optionalValue(type), code: try folded(code, of: [base], syntax), syntax: syntax)
    }

    /// A field of a boxed value, as an optional.
    private func optionalField(_ field: String, at range: Range<Int>, of base: Term) -> Operand<Value> {
        let entries = entries(of: base, field, at: range)
        return .computing { frame throws(EvaluationFault) in
            .optional(Value.lookUp(.string(field), in: try entries(frame).found))
        }
    }

    /// Compiles `base[?index]`, and `base[index]` of an optional.
    func optionalElement(of base: Term, at index: Term, _ syntax: Syntax) throws(TextFault) -> Term {
        let type: ExpressionType
        switch base.type.within {
        case .list(let element):
            let position = try self.position(index).computation
            if case .memory(let location, let list) = base.code {
                let found = location.optionalElement(of: list) { frame, _ throws(EvaluationFault) in
                    try position(frame)
                }
                return metered(Term(type: .optionalValue(element), code: .boxed(found), syntax: syntax))
            }
            type = element
        case .map(let key, let value):
            try checkKey(index, key)
            type = value
        case .dynamic: type = .dynamic
        default: throw noElements(base, index, dot: ".?")
        }
        let (container, key) = (
            base.code.boxed(at: base.range).computation, index.code.boxed(at: index.range).computation
        )
        let lookup = lookup(at: index.range, in: base)
        let found = Operand<Value>.computing { frame throws(EvaluationFault) in
            .optional(try lookup(key, in: try container(frame), frame))
        }
        return Term(
            type: .optionalValue(type), code: try folded(.boxed(found), of: [base, index], syntax),
            syntax: syntax)
    }

    /// The lookup of an element of a boxed value.
    func lookup(at range: Range<Int>, in base: Term) -> OptionalLookup {
        OptionalLookup(meter: meter, range: range, baseRange: base.range)
    }

    /// Compiles a part that must be an optional. `part` names it in the message.
    mutating func compileOptional(_ syntax: Syntax, for part: String) throws(TextFault) -> Term {
        let term = unwrapped(try compile(syntax))
        guard let optional = optional(term, for: part) else {
            let found = term.type.name
            throw TextFault(
                .wrongType, "\(part) needs an optional, found \(found)", at: term.range,
                help: ["write `optional.of(\(source(term.range)))`"])
        }
        return optional
    }

    /// A term that is an optional, as far as types tell; nil for another type. Its evaluation faults when a
    /// value whose type was not known is not an optional.
    func optional(_ term: Term, for part: String) -> Term? {
        switch term.type {
        case .optionalValue: return term
        case .dynamic:
            let range = term.range
            let checked = term.code.boxed(at: range).map { value throws(EvaluationFault) in
                guard case .optional = value else {
                    throw EvaluationFault(
                        .wrongDynamicType, "\(part) needs an optional, found \(value.kind)", at: range)
                }
                return value
            }
            return Term(type: .optionalValue(.dynamic), code: .boxed(checked), syntax: term.syntax)
        default: return nil
        }
    }
}

extension ExpressionType {
    /// The type whose fields and elements a select or an index reads: that of the value, if it is an optional.
    var within: ExpressionType {
        if case .optionalValue(let content) = self { content.wrapped } else { self }
    }
}
