import Diagnostics
import Records

extension Compiler {
    /// Compiles `[a, b, …]`.
    mutating func compileList(_ elements: [Syntax], _ syntax: Syntax) throws(TextFault) -> Term {
        var terms: [Term] = []
        for element in elements { terms.append(metered(try compile(element))) }
        let code = Code.boxed(
            elements.contains(where: \.isOptionalElement) ? Self.present(terms) : Self.list(terms))
        return Term(
            type: .list(Self.joined(terms)), code: try folded(code, of: terms, syntax), syntax: syntax)
    }

    private static func list(_ terms: [Term]) -> Operand<Value> {
        let values = terms.map { $0.code.boxed(at: $0.range).computation }
        return .computing { frame throws(EvaluationFault) in
            var list: [Value] = []
            list.reserveCapacity(values.count)
            for value in values { list.append(try value(frame)) }
            return .list(list)
        }
    }

    /// The list of the terms, without optional elements that have no value.
    private static func present(_ terms: [Term]) -> Operand<Value> {
        let values = terms.map { LiteralPart($0) }
        return .computing { frame throws(EvaluationFault) in
            var list: [Value] = []
            for value in values {
                if let value = try value(frame) { list.append(value) }
            }
            return .list(list)
        }
    }

    /// Compiles `{key: value, …}`.
    mutating func compileMap(
        _ entries: [(key: Syntax, value: Syntax)], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        var (keys, values): ([Term], [Term]) = ([], [])
        for entry in entries {
            let key = unwrapped(try compile(entry.key))
            switch key.type {
            case .bool, .int, .uint, .string, .dynamic: break
            default:
                throw TextFault(
                    .invalidKey,
                    "the key of a map must be bool, int, uint or string, found \(key.type.name)",
                    at: key.range)
            }
            keys.append(key)
            values.append(metered(try compile(entry.value)))
        }
        let hasOptionals = entries.contains(where: \.value.isOptionalElement)
        let code = Code.boxed(hasOptionals ? Self.present(keys, values) : Self.map(keys, values))
        return Term(
            type: .map(key: Self.joined(keys), value: Self.joined(values)),
            code: try folded(code, of: keys + values, syntax), syntax: syntax)
    }

    private static func map(_ keys: [Term], _ values: [Term]) -> Operand<Value> {
        let computed = zip(keys, values).map { key, value in
            (
                key: key.code.boxed(at: key.range).computation, range: key.range,
                value: value.code.boxed(at: value.range).computation
            )
        }
        return .computing { frame throws(EvaluationFault) in
            var (map, seen): ([Value.MapEntry], Set<Value>) = ([], [])
            map.reserveCapacity(computed.count)
            for entry in computed {
                let key = try entry.key(frame)
                try insert(key, in: &seen, at: entry.range)
                map.append(Value.MapEntry(key: key, value: try entry.value(frame)))
            }
            return .map(map)
        }
    }

    /// The map of the terms, without optional entries that have no value.
    private static func present(_ keys: [Term], _ values: [Term]) -> Operand<Value> {
        let computed = zip(keys, values).map { key, value in
            (key: key.code.boxed(at: key.range).computation, range: key.range, value: LiteralPart(value))
        }
        return .computing { frame throws(EvaluationFault) in
            var (map, seen): ([Value.MapEntry], Set<Value>) = ([], [])
            for entry in computed {
                let key = try entry.key(frame)
                guard let value = try entry.value(frame) else { continue }
                try insert(key, in: &seen, at: entry.range)
                map.append(Value.MapEntry(key: key, value: value))
            }
            return .map(map)
        }
    }

    /// Adds a key to those of a map.
    ///
    /// - Throws: when it is there already, or cannot be a key.
    @inline(__always)
    static func insert(
        _ key: Value, in seen: inout Set<Value>, at range: Range<Int>
    ) throws(EvaluationFault) {
        guard seen.insert(try identity(of: key, at: range)).inserted else {
            throw EvaluationFault(.invalidKey, "the key `\(key.json.abridged)` is given twice", at: range)
        }
    }

    /// The key, in a form in which equal numbers of both integer types are the same value.
    @inline(__always)
    private static func identity(of key: Value, at range: Range<Int>) throws(EvaluationFault) -> Value {
        switch key {
        case .int(let value) where value >= 0: return .uint(UInt64(value))
        case .bool, .int, .uint, .string: return key
        default:
            throw EvaluationFault(
                .invalidKey, "the key of a map must be bool, int, uint or string, found \(key.kind)",
                at: range)
        }
    }

    private static func joined(_ terms: [Term]) -> ExpressionType {
        let types = terms.map { $0.syntax.isOptionalElement ? $0.type.content : $0.type }
        guard let first = types.first else { return .dynamic }
        return types.dropFirst().reduce(first) { $0.joined(with: $1) }
    }
}

/// One part of a list or map literal that has optional parts.
private struct LiteralPart: Sendable {
    private let compute: AnyComputation<Value>
    private let isOptional: Bool

    init(_ term: Term) {
        compute = term.code.boxed(at: term.range).computation
        isOptional = term.syntax.isOptionalElement
    }

    /// The value; nil for an optional without one.
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Value? {
        let value = try compute(frame)
        guard isOptional, case .optional(let content) = value else { return value }
        return content
    }
}
