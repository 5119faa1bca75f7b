import Diagnostics
import Records

/// Reads C literals in the arguments of macros: `9600`, `-1.5f`, `"text"`, `true`, `{}`.
enum CLiteral {
    /// The value of a literal of a type; nil if the text is not a literal of that type.
    static func value(of text: String, as type: ValueType) -> Value? {
        switch type {
        case .bool:
            switch text {
            case "true", "1": .bool(true)
            case "false", "0": .bool(false)
            default: nil
            }
        case .integer: integer(text)
        case .float, .double: number(text)
        case .string: string(text).map(Value.string)
        case .bytes: string(text).map { .bytes(Array($0.utf8)) }
        case .duration:
            if let text = string(text) {
                TimeText.nanoseconds(ofDuration: text).map { .duration(nanoseconds: $0) }
            } else if case .int(let nanoseconds)? = integer(text) {
                .duration(nanoseconds: nanoseconds)
            } else {
                nil
            }
        case .timestamp: string(text).flatMap { TimeText.timestamp(ofRFC3339: $0) }.map(Value.timestamp)
        case .list: text.filter { $0 != " " } == "{}" ? .list([]) : nil
        default: nil
        }
    }

    /// A constant expression of integers.
    private static func integer(_ text: String) -> Value? {
        var digits = text.filter { $0 != "(" && $0 != ")" && $0 != " " }.lowercased()[...]
        while let last = digits.last, last == "u" || last == "l" { digits.removeLast() }
        if let number = UInt64(digits), number > UInt64(Int64.max) { return .uint(number) }
        var parser = CParser(text, endsImplicitly: true)
        guard parser.faults.isEmpty, let value = try? parser.constant(), parser.current.kind == .end else {
            return nil
        }
        return .int(value)
    }

    private static func number(_ text: String) -> Value? {
        if let value = integer(text) {
            switch value {
            case .int(let number): return .double(Double(number))
            case .uint(let number): return .double(Double(number))
            default: return nil
            }
        }
        var digits = text.filter { $0 != "(" && $0 != ")" && $0 != " " }.lowercased()[...]
        if !digits.hasPrefix("0x"), let last = digits.last, last == "f" || last == "l" { digits.removeLast() }
        if digits.hasPrefix(".") { digits = "0" + digits }
        if digits.hasSuffix(".") { digits += "0" }
        return Double(digits).map(Value.double)
    }

    /// The text between double quotes. Adjacent literals are joined.
    private static func string(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            rest = rest.dropFirst()
            if first == UInt8(ascii: " ") { continue }
            guard first == UInt8(ascii: "\""), readQuoted(&rest, to: &bytes) else { return nil }
        }
        guard text.contains("\"") else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reads the text after an opening quote, and the closing quote; false if the quote is missing or an
    /// escape is invalid.
    private static func readQuoted(_ rest: inout ArraySlice<UInt8>, to bytes: inout [UInt8]) -> Bool {
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst(), let meant = escapes[escaped] else { return false }
            bytes.append(meant)
        }
        return false
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "\""): 34,
        UInt8(ascii: "'"): 39, UInt8(ascii: "\\"): 92, UInt8(ascii: "?"): 63,
    ]
}
