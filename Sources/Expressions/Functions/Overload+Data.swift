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
            Overload(values: [.dynamic], .string) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].json
                try checkLength(text.utf8.count, at: range)
                return .string(text)
            }
        ],
        "csv.decode": separated(.string, .optionalValue(.list(.list(.string)))) { value, format, _ in
            .optional(
                format.rows(of: value.text).map { rows in .list(rows.map { .list($0.map(Value.string)) }) })
        },
        // Rows that come from outside have types that only a step knows.
        "csv.encode": separated(.list(.dynamic), .string) {
            value, format, range throws(EvaluationFault) in
            var text = ""
            for row in value.elements {
                format.write(try fields(of: row, at: range), to: &text)
                try checkLength(text.utf8.count, at: range)
            }
            return .string(text)
        },
    ]

    /// The overloads of a function of comma-separated values: with commas, and with another separator.
    private static func separated(
        _ parameter: ExpressionType, _ result: ExpressionType,
        _ function: @escaping @Sendable (Value, CommaSeparated, Range<Int>) throws(EvaluationFault) -> Value
    ) -> [Overload] {
        [[parameter], [parameter, .string]].map { parameters in
            Overload(values: parameters, result) { arguments, range throws(EvaluationFault) in
                let format =
                    arguments.count > 1
                    ? try format(separator: arguments[1].text, at: range) : CommaSeparated()
                return try function(arguments[0], format, range)
            }
        }
    }

    private static func format(separator: String, at range: Range<Int>) throws(EvaluationFault)
        -> CommaSeparated
    {
        guard let format = CommaSeparated(separator: separator) else {
            throw EvaluationFault(.invalidText, "`\(separator.abridged)` cannot be a separator", at: range) {
                ["write one character of ASCII, such as `';'` or `'\\t'`, but no quote and no line end"]
            }
        }
        return format
    }

    private static func fields(of row: Value, at range: Range<Int>) throws(EvaluationFault) -> [String] {
        guard case .list(let values) = row else {
            throw EvaluationFault(.wrongDynamicType, "a row is a list, found \(row.kind)", at: range)
        }
        guard !values.isEmpty else {
            throw EvaluationFault(.wrongDynamicType, "a row has at least one field", at: range)
        }
        var fields: [String] = []
        for value in values {
            switch value {
            case .string(let field): fields.append(field)
            case .null: fields.append("")
            case .bool, .int, .uint: fields.append(value.json)
            case .double(let number): fields.append(DoubleText.text(number))
            default:
                throw EvaluationFault(
                    .wrongDynamicType, "a field is a text, a number, a bool or null, found \(value.kind)",
                    at: range
                ) { ["write `string(…)`"] }
            }
        }
        return fields
    }
}
