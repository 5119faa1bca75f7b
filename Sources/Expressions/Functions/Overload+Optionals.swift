import Diagnostics
import Records

extension Overload {
    /// The functions of cel-go for optionals: github.com/google/cel-go, cel/library.go.
    static let optionals: [String: [Overload]] = [
        "optional.of": [
            Overload([.dynamic], resultOf: { .optionalValue($0[0]) }) { arguments, range in
                .boxed(arguments[0].boxed(at: range).map { .optional($0) })
            }
        ],
        "optional.none": [
            Overload([], .optionalValue(.dynamic)) { _, _ in .boxed(.constant(.optional(nil))) }
        ],
        "optional.ofNonZeroValue": [
            Overload([.dynamic], resultOf: { .optionalValue($0[0].wrapped) }) { arguments, range in
                .boxed(arguments[0].boxed(at: range).map { .optional($0.isZero ? nil : $0) })
            }
        ],
        ".hasValue": [
            Overload([optional], .bool) { arguments, range in
                .bool(arguments[0].boxed(at: range).map(\.hasContent))
            }
        ],
        ".value": [
            Overload([optional], resultOf: { $0[0].content }) { arguments, range in
                .boxed(
                    arguments[0].boxed(at: range).map { value throws(EvaluationFault) in
                        guard let content = value.content else {
                            throw EvaluationFault(.nullOperand, "the optional has no value", at: range) {
                                ["test it with `hasValue()`, or write `orValue(…)` in place of `value()`"]
                            }
                        }
                        return content
                    })
            }
        ],
        ".or": [
            Overload([optional, optional], resultOf: { $0[0].joined(with: $0[1]) }) { arguments, range in
                alternative(arguments, range) { optional, _ in optional }
            }
        ],
        ".orValue": [
            Overload([optional, .dynamic], resultOf: { $0[0].content.joined(with: $0[1]) }) {
                arguments, range in
                alternative(arguments, range) { _, content in content }
            }
        ],
        ".first": [end { _ in 0 }],
        ".last": [end { $0 - 1 }],
        "optional.unwrap": [unwrapping],
        ".unwrapOpt": [unwrapping],
    ]

    /// The method of a list that gives one of its ends, as an optional.
    private static func end(_ position: @escaping @Sendable (_ count: Int) -> Int) -> Overload {
        Overload([.list(.dynamic)], resultOf: { .optionalValue($0[0].element) }) { arguments, range in
            if case .memory(let location, let list) = arguments[0] {
                return .boxed(location.optionalElement(of: list) { _, count in Int64(position(count)) })
            }
            return .boxed(
                arguments[0].boxed(at: range).map { list in
                    let elements = list.elements
                    return .optional(elements.isEmpty ? nil : elements[position(elements.count)])
                })
        }
    }

    /// The values of those optionals in a list that have one. `Compiler.checkArguments` refuses lists of other
    /// types.
    private static let unwrapping = Overload(
        [.list(.dynamic)], resultOf: { .list($0[0].element.content) }
    ) { arguments, range in
        .boxed(
            arguments[0].boxed(at: range).map { list throws(EvaluationFault) in
                var values: [Value] = []
                for element in list.elements {
                    guard case .optional(let content) = element else {
                        throw EvaluationFault(
                            .wrongDynamicType, "expected a list of optionals, found \(element.kind) in it",
                            at: range)
                    }
                    if let content { values.append(content) }
                }
                return .list(values)
            })
    }

    /// The functions that evaluate their argument only for an optional without a value.
    static let alternatives: Set<String> = [".or", orValue]
    static let orValue = ".orValue"

    /// True for the functions that take a list of optionals.
    static func unwraps(_ key: String) -> Bool { key == "optional.unwrap" || key == ".unwrapOpt" }

    private static let optional = ExpressionType.optionalValue(.dynamic)

    /// What `result` makes of an optional and its value; the second argument if it has none.
    private static func alternative(
        _ arguments: [Code], _ range: Range<Int>, _ result: @escaping @Sendable (Value, Value) -> Value
    ) -> Code {
        let (compute, other) = (
            arguments[0].boxed(at: range).computation, arguments[1].boxed(at: range).computation
        )
        return .boxed(
            .computing { frame throws(EvaluationFault) in
                let optional = try compute(frame)
                guard let content = optional.content else { return try other(frame) }
                return result(optional, content)
            })
    }
}

extension Value {
    /// The value of an optional, if it has one.
    fileprivate var content: Value? {
        guard case .optional(let content) = self else {
            preconditionFailure("the checker lets only optionals through")
        }
        return content
    }

    /// True for null, false, 0, the null pointer, and what is empty. For a timestamp, 0 is the Unix epoch.
    fileprivate var isZero: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .int(let value): value == 0
        case .uint(let value): value == 0
        case .double(let value): value == 0
        case .string(let text): text.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .duration(let nanoseconds): nanoseconds == 0
        case .timestamp(let timestamp): timestamp.seconds == 0 && timestamp.nanoseconds == 0
        case .list(let elements): elements.isEmpty
        case .map(let entries): entries.isEmpty
        case .pointer(let address): address == 0
        case .type, .optional, .network: false
        }
    }
}
