import Diagnostics
import Records

extension Compiler {
    /// Compiles `==` and `!=`. Numbers are compared by value across types, all other values within their
    /// type.
    func compileEquality(
        _ operation: BinaryOperator, _ left: Term, _ right: Term, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (left, right) = (metered(left), metered(right))
        guard scope.isUntyped || left.type.mayEqual(right.type) else {
            throw neverEqual(operation, left, right, syntax)
        }
        try checkMember(right, of: left)
        try checkMember(left, of: right)
        let code = Code.bool(equality(operation, left, right, at: syntax.range))
        return Term(type: .bool, code: try folded(code, of: [left, right], syntax), syntax: syntax)
    }

    /// Checks that an element may be in a list, or a key in a map.
    func checkMembership(_ element: Term, in container: Term) throws(TextFault) {
        let type: ExpressionType
        switch container.type.wrapped {
        case .list(let element): type = element
        case .map(let key, _): type = key
        default: return
        }
        guard scope.isUntyped || type.mayEqual(element.type) else {
            throw TextFault(
                .neverEqual, "\(element.type.name) is never in \(container.type.wrapped.name)",
                at: element.range)
        }
        if case .list(let elements) = container.syntax.kind, case .member(let enumeration, _) = element.code,
            case .list(let values)? = container.constant, values.count == elements.count
        {
            for (value, syntax) in zip(values, elements) {
                if case .string(let text) = value, enumeration.index(of: text) == nil {
                    throw notAMember(text, enumeration, at: syntax.range)
                }
            }
        }
    }

    private func equality(
        _ operation: BinaryOperator, _ left: Term, _ right: Term, at range: Range<Int>
    ) -> Operand<Bool> {
        for (member, other) in [(left.code, right.code), (right.code, left.code)] {
            guard case .member(let enumeration, let location) = member else { continue }
            if case .string(let text)? = other.constant, let index = enumeration.index(of: text) {
                return Self.compare(operation, Self.number(of: location), .constant(Int64(index)))
            }
            if case .member(let same, let second) = other, same == enumeration {
                return Self.compare(operation, Self.number(of: location), Self.number(of: second))
            }
        }
        for (address, other) in [(left, right), (right, left)] where other.type == .null {
            guard case .memory(let location, .pointer) = address.code else { continue }
            return .combine(
                location.operand(UInt64.self), .constant(0), Comparison<UInt64>(operation: operation))
        }
        if let comparison = Code.comparison(operation, left.code, right.code, at: range) { return comparison }
        for (optional, other) in [(left, right), (right, left)] {
            guard case .memory(let location, .optional(let wrapped)) = optional.code else { continue }
            // Safe because an optional begins with its `has`, a bool.
            let has = location.operand(Bool.self)
            if other.type == .null { return operation == .equal ? has.inverted : has }
            let value = Code(location.advanced(by: ValueType.optional(wrapped).wrappedOffset), wrapped)
            guard let comparison = Code.comparison(.equal, value, other.code, at: range) else { continue }
            let equal = Operand<Bool>.combine(has, comparison, LogicFunction(decisive: false))
            return operation == .equal ? equal : equal.inverted
        }
        let (first, second) = (
            left.code.boxed(at: left.range).computation, right.code.boxed(at: right.range).computation
        )
        return .computing { frame throws(EvaluationFault) in
            try first(frame).isEqual(try second(frame)) == (operation == .equal)
        }
    }

    private static func compare(
        _ operation: BinaryOperator, _ left: Operand<Int64>, _ right: Operand<Int64>
    ) -> Operand<Bool> { .combine(left, right, Comparison<Int64>(operation: operation)) }

    private static func number(of location: MemoryLocation) -> Operand<Int64> {
        // An enumeration is stored as an `int32_t`.
        location.integer(.i32)
    }

    private func checkMember(_ text: Term, of term: Term) throws(TextFault) {
        let enumeration: EnumerationType
        switch term.code {
        case .member(let type, _): enumeration = type
        case .memory(_, .optional(.enumeration(let type))): enumeration = type
        default: return
        }
        guard case .string(let value)? = text.constant, enumeration.index(of: value) == nil else { return }
        throw notAMember(value, enumeration, at: text.range)
    }

    func notAMember(_ text: String, _ enumeration: EnumerationType, at range: Range<Int>) -> TextFault {
        TextFault(
            .notAMember, "`\(text.abridged)` is not one of the members of this enumeration", at: range,
            label: "it has \(Self.listed(enumeration.members))",
            help: Self.suggestion(for: text, among: enumeration.members))
    }

    private func neverEqual(
        _ operation: BinaryOperator, _ left: Term, _ right: Term, _ syntax: Syntax
    ) -> TextFault {
        for (term, other) in [(left, right), (right, left)] where other.type == .null {
            return TextFault(
                .neverEqual, "`\(source(term.range))` is \(term.type.name), which is never null",
                at: syntax.range)
        }
        let types = "\(left.type.name) with \(right.type.name)"
        return TextFault(
            .neverEqual, "`\(operation.rawValue)` compares \(types), which are never equal", at: syntax.range,
            help: conversionHelp(left, right))
    }
}
