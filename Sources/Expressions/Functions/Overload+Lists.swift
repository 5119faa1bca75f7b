import Diagnostics
import Records

extension Overload {
    /// The extensions of cel-go for lists and sets, without those that need optionals:
    /// github.com/google/cel-go, ext/lists.go and ext/sets.go.
    static let lists: [String: [Overload]] = [
        ".distinct": [
            list { arguments, _ in
                var found = EqualValues()
                return arguments[0].elements.filter { found.insert($0) }
            }
        ],
        ".flatten": [
            list(resultOf: { flattened($0[0]) }) { arguments, _ in flattened(arguments[0].elements, levels: 1)
            },
            list([.int], resultOf: { _ in .list(.dynamic) }) { arguments, range throws(EvaluationFault) in
                let levels = arguments[1].integer
                guard levels >= 0 else {
                    throw EvaluationFault(
                        .indexOutOfBounds, "`flatten` needs levels of 0 or more, found \(levels)", at: range)
                }
                return flattened(arguments[0].elements, levels: levels)
            },
        ],
        ".reverse": [list { arguments, _ in arguments[0].elements.reversed() }],
        ".slice": [
            list([.int, .int]) { arguments, range throws(EvaluationFault) in
                let (values, start, end) = (arguments[0].elements, arguments[1].integer, arguments[2].integer)
                guard 0 <= start, start <= end, end <= values.count else {
                    throw EvaluationFault(
                        .indexOutOfBounds,
                        "`\(start)` to `\(end)` is no part of the list of \(values.count) elements", at: range
                    )
                }
                return Array(values[Int(start)..<Int(end)])
            }
        ],
        ".sort": [
            list { arguments, range throws(EvaluationFault) in
                let values = arguments[0].elements
                return try order(of: values, "sort", at: range).map { values[$0] }
            }
        ],
        range: [
            Overload(values: [.int], .list(.int)) { arguments, range throws(EvaluationFault) in
                let count = arguments[0].integer
                guard count <= longestRange else {
                    throw EvaluationFault(
                        .tooMuchWork, "the list has more than the \(longestRange) elements allowed", at: range
                    )
                }
                return .list((0..<max(0, count)).map(Value.int))
            }
        ],
        "sets.contains": [sets { one, other in one.contains(all: other) }],
        "sets.equivalent": [sets { one, other in one.contains(all: other) && other.contains(all: one) }],
        "sets.intersects": [sets { one, other in one.contains(anyOf: other) }],
    ]

    static let range = "lists.range"
    private static let longestRange = 100_000

    /// A method of a list whose result is a list.
    private static func list(
        _ parameters: [ExpressionType] = [],
        resultOf result: @escaping @Sendable ([ExpressionType]) -> ExpressionType = { $0[0] },
        _ function: @escaping @Sendable ([Value], Range<Int>) throws(EvaluationFault) -> [Value]
    ) -> Overload {
        Overload([.list(.dynamic)] + parameters, resultOf: result) { arguments, range in
            .boxed(
                evaluating(arguments, range) { values, range throws(EvaluationFault) in
                    .list(try function(values, range))
                })
        }
    }

    private static func sets(
        _ compare: @escaping @Sendable (EqualValues, EqualValues) -> Bool
    ) -> Overload {
        Overload(values: [.list(.dynamic), .list(.dynamic)], .bool) { arguments, _ in
            .bool(compare(EqualValues(arguments[0].elements), EqualValues(arguments[1].elements)))
        }
    }

    private static func flattened(_ type: ExpressionType) -> ExpressionType {
        if case .list(.list(let element)) = type { .list(element) } else { type }
    }

    private static func flattened(_ values: [Value], levels: Int64) -> [Value] {
        guard levels > 0 else { return values }
        return values.flatMap { value in
            if case .list(let inner) = value { flattened(inner, levels: levels - 1) } else { [value] }
        }
    }

    /// The indices of values in ascending order. Equal ones keep their order, and NaN comes last.
    static func order(
        of values: [Value], _ function: String, at range: Range<Int>
    ) throws(EvaluationFault) -> [Int] {
        for value in values.dropFirst() where value.kind != values[0].kind {
            throw EvaluationFault(
                .wrongDynamicType,
                "`\(function)` needs values of one type, found \(values[0].kind) and \(value.kind)", at: range
            )
        }
        guard let first = values.first else { return [] }
        guard isAscending(first, first) != nil else {
            throw EvaluationFault(.wrongDynamicType, "`\(function)` does not order \(first.kind)", at: range)
        }
        return values.indices.sorted { one, other in
            if isAscending(values[one], values[other]) == true { return true }
            return one < other && isAscending(values[other], values[one]) == false
        }
    }

    /// Whether one value comes before another one of the same kind; nil for a kind without an order.
    private static func isAscending(_ one: Value, _ other: Value) -> Bool? {
        switch (one, other) {
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)), (.duration(let a), .duration(let b)): a < b
        case (.uint(let a), .uint(let b)): a < b
        case (.double(let a), .double(let b)): a < b || !a.isNaN && b.isNaN
        case (.timestamp(let a), .timestamp(let b)): a < b
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        default: nil
        }
    }
}
