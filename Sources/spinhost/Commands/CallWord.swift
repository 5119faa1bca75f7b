import Interfaces
import Records

/// One argument of `spinhost call`.
enum CallWord: Equatable {
    /// A value, to be read as the parameter's type.
    case input(String)
    /// An out-parameter.
    case out(CallArgument)

    init(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first == "out", parts.count <= 3 else {
            self = .input(text)
            return
        }
        let count = parts.count > 1 ? Int(parts[1]) : 1
        let form: CallArgument.OutForm? =
            parts.count < 3 ? .elements : parts[2] == "string" ? .string : parts[2] == "bytes" ? .bytes(used: nil) : nil
        if let count, let form { self = .out(.out(count: count, as: form)) } else { self = .input(text) }
    }

    /// The argument as signatures want it.
    var argument: CallArgument {
        switch self {
        case .input: .input
        case .out(let argument): argument
        }
    }

    /// The value that a word means for a parameter of the type.
    ///
    /// - Throws: `RecordError` when it is none of that type.
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
            if case .pointer = type, let number = hexadecimal ?? UInt64(text) { return .pointer(UInt(number)) }
            if let number = Int64(text) { return .int(number) }
            if let number = hexadecimal ?? UInt64(text) { return .uint(number) }
            throw wrong(text, type)
        case .enumeration: return .string(text)
        case .optional(let wrapped): return text == "null" ? .null : try value(text, as: wrapped)
        case .bool, .list, .array, .record: return try Value(json: text).readingJSON(as: type)
        }
    }

    private static func wrong(_ text: String, _ type: ValueType) -> RecordError {
        RecordError(.wrongType, "`\(text)` is no `\(type.name)`")
    }
}
