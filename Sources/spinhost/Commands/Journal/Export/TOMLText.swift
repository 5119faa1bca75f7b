import Records

/// Writes values as a manifest has them.
enum TOMLText {
    /// A value that no manifest can have.
    struct Failure: Error {
        /// For people.
        let reason: String
    }

    /// The fields of a record, as an inline table. A field without a value is left out, and has no value in a test.
    static func table(_ record: Record) throws(Failure) -> String {
        var types = record.type.fields
        if let index = record.caseIndex { types += record.type.cases[index].fields }
        return try table(record.value, types)
    }

    /// A key, in quotation marks if it needs them.
    static func key(_ name: String) -> String {
        name.wholeMatch(of: /[A-Za-z0-9_-]+/) == nil ? string(name) : name
    }

    private static func table(_ value: Value, _ fields: [RecordType.Field]) throws(Failure) -> String {
        var parts: [String] = []
        for field in fields {
            guard let value = value[field.name], value != .null else { continue }
            do throws(Failure) { parts.append("\(key(field.name)) = \(try text(value, field.type))") } catch {
                throw Failure(reason: "`\(field.name)`: \(error.reason)")
            }
        }
        return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    }

    private static func text(_ value: Value, _ type: ValueType) throws(Failure) -> String {
        switch (type, value) {
        case (.optional(let wrapped), _): return try text(value, wrapped)
        case (.record(let record), _): return try table(value, record.fields)
        case (.list(let element), .list(let elements)):
            var parts: [String] = []
            for value in elements { parts.append(try text(value, element)) }
            return "[\(parts.joined(separator: ", "))]"
        case (_, .bool(let value)): return "\(value)"
        case (_, .int(let number)): return "\(number)"
        // The integers of TOML end at 2^63 - 1, and a text may have a larger one.
        case (_, .uint(let number)): return number > UInt64(Int64.max) ? "\"\(number)\"" : "\(number)"
        case (_, .double(let number)):
            return number.isFinite ? "\(number)" : number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
        case (_, .string(let text)): return string(text)
        case (_, .bytes(let bytes)):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure(reason: "a manifest cannot have bytes that are not UTF-8")
            }
            return string(text)
        case (_, .duration(let nanoseconds)): return string(TimeText.duration(nanoseconds: nanoseconds))
        case (_, .timestamp(let time)): return string(TimeText.rfc3339(time))
        default: throw Failure(reason: "a manifest cannot have \(value.json) there")
        }
    }

    /// A text in quotation marks.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                let digits = String(scalar.value, radix: 16)
                result += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
