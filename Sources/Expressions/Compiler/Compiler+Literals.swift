import Diagnostics
import Records

extension Compiler {
    /// Compiles `[a, b, …]`.
    mutating func compileList(_ elements: [Syntax], _ syntax: Syntax) throws(TextFault) -> Term {
        var terms: [Term] = []
        for element in elements { terms.append(metered(try compile(element))) }
        let values = terms.map { $0.code.boxed(at: $0.range).computation }
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var list: [Value] = []
                list.reserveCapacity(values.count)
                for value in values { list.append(try value(frame)) }
                return .list(list)
            })
        return Term(
            type: .list(Self.joined(terms)), code: try folded(code, of: terms, syntax), syntax: syntax)
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
        let computed = zip(keys, values).map { key, value in
            (
                key: key.code.boxed(at: key.range).computation, range: key.range,
                value: value.code.boxed(at: value.range).computation
            )
        }
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var (map, seen): ([Value.MapEntry], Set<Value>) = ([], [])
                map.reserveCapacity(computed.count)
                for entry in computed {
                    let key = try entry.key(frame)
                    guard seen.insert(try Self.identity(of: key, at: entry.range)).inserted else {
                        throw EvaluationFault(
                            .invalidKey, "the key `\(key.json.abridged)` is given twice", at: entry.range)
                    }
                    map.append(Value.MapEntry(key: key, value: try entry.value(frame)))
                }
                return .map(map)
            })
        return Term(
            type: .map(key: Self.joined(keys), value: Self.joined(values)),
            code: try folded(code, of: keys + values, syntax), syntax: syntax)
    }

    /// The key, in a form in which equal numbers of both integer types are the same value.
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
        guard let first = terms.first?.type else { return .dynamic }
        return terms.dropFirst().reduce(first) { $0.joined(with: $1.type) }
    }
}
