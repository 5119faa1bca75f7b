import Diagnostics
import Records

extension Overload {
    /// The functions for texts that hold data. A text of another form gives an optional without a value, because
    /// such texts come from outside, and the reducer decides what to do.
    static let data: [String: [Overload]] = [
        "json.decode": [
            Overload(values: [.string], .optionalValue(.dynamic)) { arguments, _ in
                .optional(try? Value(json: arguments[0].text))
            }
        ],
        "json.encode": [
            Overload(values: [.dynamic], .string) { arguments, _ in .string(arguments[0].json) }
        ],
        "csv.decode": [
            rows([.string]) { arguments, _ in decoded(arguments[0].text, CommaSeparated()) },
            rows([.string, .string]) { arguments, range throws(EvaluationFault) in
                decoded(arguments[0].text, try separated(by: arguments[1].text, at: range))
            },
        ],
        "csv.encode": [
            Overload(values: [rowList], .string) { arguments, range throws(EvaluationFault) in
                try encoded(arguments[0].elements, CommaSeparated(), at: range)
            },
            Overload(values: [rowList, .string], .string) { arguments, range throws(EvaluationFault) in
                try encoded(arguments[0].elements, try separated(by: arguments[1].text, at: range), at: range)
            },
        ],
    ]

    private static let rowList = ExpressionType.list(.list(.dynamic))

    private static func rows(
        _ parameters: [ExpressionType],
        _ function: @escaping @Sendable ([Value], Range<Int>) throws(EvaluationFault) -> Value
    ) -> Overload {
        Overload(values: parameters, .optionalValue(.list(.list(.string))), of: function)
    }

    private static func separated(
        by text: String, at range: Range<Int>
    ) throws(EvaluationFault) -> CommaSeparated {
        guard let format = CommaSeparated(separator: text) else {
            throw EvaluationFault(
                .invalidText, "`\(text.abridged)` separates no fields: a separator is one character of ASCII",
                at: range
            ) { ["write a text such as `';'` or `'\\t'`"] }
        }
        return format
    }

    private static func decoded(_ text: String, _ format: CommaSeparated) -> Value {
        .optional(
            format.rows(of: text).map { rows in .list(rows.map { .list($0.map(Value.string)) }) })
    }

    private static func encoded(
        _ rows: [Value], _ format: CommaSeparated, at range: Range<Int>
    ) throws(EvaluationFault) -> Value {
        var text = ""
        for row in rows {
            var fields: [String] = []
            for value in row.elements {
                switch value {
                case .string(let field): fields.append(field)
                case .null: fields.append("")
                case .bool, .int, .uint: fields.append(value.json)
                case .double(let number): fields.append(DoubleText.text(number))
                default:
                    throw EvaluationFault(
                        .wrongDynamicType, "a field is a text, a number, a bool or null, found \(value.kind)",
                        at: range)
                }
            }
            format.write(fields, to: &text)
        }
        return .string(text)
    }
}
