import Interfaces
import Records

/// One argument of `spinhost call`.
enum CallWord: Equatable {
    /// The text of a value of the parameter's type.
    case input(String)
    /// An out-parameter, or null.
    case out(CallArgument)
    /// An out-parameter with the text of its first value.
    case inOut(String)

    /// Reads an argument.
    ///
    /// - Parameter isPointer: whether the parameter is a pointer, which may be null.
    init(_ text: String, isPointer: Bool) {
        if let word = Self.out(text.split(separator: ":", omittingEmptySubsequences: false)) {
            self = .out(word)
        } else if text.hasPrefix("inout:") {
            self = .inOut(String(text.dropFirst(6)))
        } else {
            self = isPointer && text == "null" ? .out(.null) : .input(text)
        }
    }

    /// `out`, `out:N`, `out:N:string`, `out:N:bytes` or `out:N:bytes:USED`; nil for anything else.
    private static func out(_ parts: [Substring]) -> CallArgument? {
        guard parts.first == "out", parts.count <= 4 else { return nil }
        guard let count = parts.count > 1 ? Int(parts[1]) : 1 else { return nil }
        switch parts.dropFirst(2) {
        case []: return .out(count: count, as: .elements)
        case ["string"]: return .out(count: count, as: .string)
        case ["bytes"]: return .out(count: count, as: .bytes(used: nil))
        case let rest where rest.first == "bytes":
            return .out(count: count, as: .bytes(used: String(parts[3])))
        default: return nil
        }
    }

    /// The argument for the signature of the call.
    var argument: CallArgument {
        switch self {
        case .input: .input
        case .out(let argument): argument
        // The length of a list is the number of elements.
        case .inOut(let text):
            if case .list(let elements)? = try? Value(json: text), !elements.isEmpty {
                .inOut(count: elements.count, as: .elements)
            } else {
                .inOut(count: nil, as: .elements)
            }
        }
    }

    /// The text of its input value; nil if it has none.
    var text: String? {
        switch self {
        case .input(let text), .inOut(let text): text
        case .out: nil
        }
    }

    /// Converts a text to a value of a type.
    ///
    /// - Throws: `RecordError` if the text is not a value of that type.
    static func value(_ text: String, as type: ValueType) throws(RecordError) -> Value {
        switch type {
        case .string: return .string(text)
        case .bytes: return .bytes(Array(text.utf8))
        case .duration, .timestamp: return try Value.string(text).readingJSON(as: type)
        case .float, .double:
            guard let number = Double(text) else { throw wrong(text, type) }
            return .double(number)
        case .integer, .pointer:
            let hexadecimal = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
            if case .pointer = type, let number = hexadecimal ?? UInt64(text) {
                return .pointer(UInt(number))
            }
            if let number = Int64(text) { return .int(number) }
            if let number = hexadecimal ?? UInt64(text) { return .uint(number) }
            throw wrong(text, type)
        case .enumeration: return .string(text)
        case .optional(let wrapped): return text == "null" ? .null : try value(text, as: wrapped)
        case .bool, .list, .array, .record: return try Value(json: text).readingJSON(as: type)
        }
    }

    private static func wrong(_ text: String, _ type: ValueType) -> RecordError {
        RecordError(.wrongType, "`\(text)` is not a value of type `\(type.name)`")
    }
}
