extension Value {
    /// The value as JSON on one line, without spaces.
    ///
    /// Keys keep their order. These values have a special form:
    ///
    /// - integers keep all 64 bits
    /// - NaN and the infinities are `"NaN"`, `"Infinity"` and `"-Infinity"`
    /// - bytes are base64
    /// - a duration is `"1.5s"`
    /// - a timestamp is RFC 3339 in UTC
    /// - a pointer is `null`
    /// - a type is its name
    /// - an optional is its value, or `null`
    /// - an IP address or a range of them is its text
    /// - a key that is not a string is a string with the JSON of the key
    public var json: String {
        var text = ""
        writeJSON(to: &text)
        return text
    }

    /// Appends the value as JSON (`json`).
    public func writeJSON(to text: inout String) {
        switch self {
        case .null, .pointer, .optional(nil): text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .int(let value): text += String(value)
        case .uint(let value): text += String(value)
        case .double(let value):
            if value.isFinite {
                text += value.description
            } else {
                text += value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\""
            }
        case .string(let value), .type(let value): Self.writeJSON(value, to: &text)
        case .optional(let value?): value.writeJSON(to: &text)
        case .network(let address): text += "\"\(address)\""
        case .bytes(let value): text += "\"\(Base64.encode(value))\""
        case .duration(let nanoseconds): text += "\"\(TimeText.duration(nanoseconds: nanoseconds))\""
        case .timestamp(let value): text += "\"\(TimeText.rfc3339(value))\""
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.writeJSON(to: &text)
            }
            text += "]"
        case .map(let entries):
            text += "{"
            for (index, entry) in entries.enumerated() {
                if index > 0 { text += "," }
                if case .string(let key) = entry.key {
                    Self.writeJSON(key, to: &text)
                } else {
                    Self.writeJSON(entry.key.json, to: &text)
                }
                text += ":"
                entry.value.writeJSON(to: &text)
            }
            text += "}"
        }
    }

    /// Appends a JSON string literal. Quotes, backslashes and control characters are escaped (RFC 8259,
    /// section 7).
    public static func writeJSON(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
