import Diagnostics
import Records

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The function `format` of the strings extension. Each clause of the text, such as `%s` or `%.2f`, formats
/// one value.
struct TextFormat {
    private static let maximumPrecision = 100

    private var format: String.UnicodeScalarView.SubSequence
    private var values: ArraySlice<Value>
    private let count: Int
    private let range: Range<Int>

    init(_ format: String, _ values: [Value], at range: Range<Int>) {
        (self.format, self.values) = (format.unicodeScalars[...], values[...])
        (count, self.range) = (values.count, range)
    }

    mutating func formatted() throws(EvaluationFault) -> String {
        var text = ""
        while let next = format.popFirst() {
            guard next == "%" else {
                text.unicodeScalars.append(next)
                continue
            }
            text += try clause()
            try Overload.checkLength(text.utf8.count, at: range)
        }
        return text
    }

    /// Reads the clause after a `%` and formats its value.
    private mutating func clause() throws(EvaluationFault) -> String {
        var precision = 6
        if format.first == "." {
            format.removeFirst()
            let digits = format.prefix { ("0"..."9").contains($0) }
            format = format.dropFirst(digits.count)
            guard let number = Int(String(digits)), number <= Self.maximumPrecision else {
                throw fault("the precision in `format` is 0 to \(Self.maximumPrecision)")
            }
            precision = number
        }
        guard let name = format.popFirst() else { throw fault("the format ends within a clause") }
        if name == "%" { return "%" }
        guard "sdfexXob".unicodeScalars.contains(name) else {
            throw fault("`%\(name)` is not a clause of `format`")
        }
        guard let value = values.popFirst() else {
            throw fault("the format has more clauses than the \(count) value\(count == 1 ? "" : "s") given")
        }
        guard let text = try Self.text(of: value, name, precision, at: range) else {
            throw fault("`%\(name)` does not take \(value.kind)")
        }
        return text
    }

    private static func text(
        of value: Value, _ name: Unicode.Scalar, _ precision: Int, at range: Range<Int>
    ) throws(EvaluationFault) -> String? {
        switch name {
        case "s": return try plain(value, at: range)
        case "d":
            switch value {
            case .int, .uint, .double: return try plain(value, at: range)
            default: return nil
            }
        case "f", "e": return double(value).map { real($0, name, precision) }
        case "o": return integer(value, radix: 8)
        case "b":
            if case .bool(let bit) = value { return bit ? "1" : "0" }
            return integer(value, radix: 2)
        default: return hexadecimal(value, isUppercase: name == "X")
        }
    }

    private static func integer(_ value: Value, radix: Int, isUppercase: Bool = false) -> String? {
        switch value {
        case .int(let number): String(number, radix: radix, uppercase: isUppercase)
        case .uint(let number): String(number, radix: radix, uppercase: isUppercase)
        default: nil
        }
    }

    private static func hexadecimal(_ value: Value, isUppercase: Bool) -> String? {
        func digits(_ bytes: some Sequence<UInt8>) -> String {
            var digits = ""
            for byte in bytes {
                digits += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: isUppercase)
            }
            return digits
        }
        return switch value {
        case .string(let text): digits(text.utf8)
        case .bytes(let bytes): digits(bytes)
        default: integer(value, radix: 16, isUppercase: isUppercase)
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Formats a double as C does. C rounds the exact value to the nearest, and a tie to the even digit.
    private static func real(_ value: Double, _ name: Unicode.Scalar, _ precision: Int) -> String {
        guard value.isFinite else { return DoubleText.text(value) }
        // The largest double has 309 digits before the point.
        var buffer = [CChar](repeating: 0, count: 512)
        let capacity = buffer.count
        // Safe because the format takes an int and a double, and C writes no more than the capacity.
        let size = unsafe withVaList([Int32(precision), value]) { arguments in
            unsafe vsnprintf(&buffer, capacity, name == "f" ? "%.*f" : "%.*e", arguments)
        }
        return String(decoding: buffer.prefix(Int(size)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Formats a value for `%s`, also when it is nested. Nil for a pointer, an optional and an address.
    private static func plain(_ value: Value, at range: Range<Int>) throws(EvaluationFault) -> String? {
        switch value {
        case .null: return "null"
        case .bool(let value): return String(value)
        case .int(let value): return String(value)
        case .uint(let value): return String(value)
        case .double(let value): return DoubleText.text(value)
        case .string(let value), .type(let value): return value
        case .bytes(let value): return text(of: value)
        case .duration(let nanoseconds): return TimeText.duration(nanoseconds: nanoseconds)
        case .timestamp(let value): return TimeText.rfc3339(value)
        case .list(let values):
            var parts: [String] = []
            for value in values { parts.append(try part(value, at: range)) }
            return "[\(parts.joined(separator: ", "))]"
        case .map(let entries):
            var parts: [(key: String, value: String)] = []
            for entry in entries {
                parts.append((try part(entry.key, at: range), try part(entry.value, at: range)))
            }
            // The order of the bytes is the order of code points.
            parts.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return "{\(parts.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        case .pointer, .optional, .network: return nil
        }
    }

    private static func part(_ value: Value, at range: Range<Int>) throws(EvaluationFault) -> String {
        guard let text = try plain(value, at: range) else {
            throw EvaluationFault(.invalidFormat, "`%s` does not take \(value.kind)", at: range) {
                if case .network = value { ["write `string(…)`"] } else { [] }
            }
        }
        return text
    }

    /// Bytes as text. One U+FFFD replaces each run of bytes that are not UTF-8.
    private static func text(of bytes: [UInt8]) -> String {
        var (text, rest) = ("", bytes[...])
        var isBroken = false
        while let first = rest.first {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            if let valid = String(validating: rest.prefix(length), as: UTF8.self), !valid.isEmpty {
                text += valid
                rest = rest.dropFirst(length)
                isBroken = false
            } else {
                if !isBroken { text += "\u{FFFD}" }
                rest.removeFirst()
                isBroken = true
            }
        }
        return text
    }

    private func fault(_ message: String) -> EvaluationFault {
        EvaluationFault(.invalidFormat, message, at: range)
    }
}
