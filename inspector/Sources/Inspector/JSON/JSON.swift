/// A value of JSON. Numbers keep their text, and objects keep the order of their keys.
indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case list([JSON])
    case object([Member])

    /// A key with its value.
    struct Member: Equatable, Sendable {
        let key: String
        let value: JSON
    }

    /// The value of a key; nil if this is no object, or has no such key. The last one counts if it occurs twice.
    subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The text of a string; nil for any other value.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The text of a number; nil for any other value.
    var digits: String? { if case .number(let text) = self { text } else { nil } }

    /// The integer; nil for any other value.
    var integer: Int64? { digits.flatMap(Int64.init) }

    /// The elements of a list; an empty list for any other value.
    var elements: [JSON] { if case .list(let elements) = self { elements } else { [] } }

    /// The members of an object; an empty list for any other value.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The value as one line of JSON.
    var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .list(let elements): "[\(elements.map(\.line).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.key)):\($0.value.line)" }.joined(separator: ","))}"
        }
    }

    /// An object with these keys, in this order.
    static func record(_ members: [(String, JSON)]) -> JSON {
        .object(members.map { Member(key: $0.0, value: $0.1) })
    }

    private static func quoted(_ text: String) -> String {
        var line = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line + "\""
    }
}
