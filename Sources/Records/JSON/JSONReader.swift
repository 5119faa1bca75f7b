/// A reader of JSON (RFC 8259) from UTF-8 bytes. Every input gives a value or an error, so any source is
/// safe.
struct JSONReader {
    /// The limit of nesting. It prevents an input from exhausting the stack.
    static let maximumDepth = 256

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func readDocument() throws(RecordError) -> Value {
        let value = try read(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw unexpected("the end") }
        return value
    }

    private mutating func read(depth: Int) throws(RecordError) -> Value {
        guard depth < Self.maximumDepth else { throw fault("is nested deeper than \(Self.maximumDepth)") }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try readObject(depth: depth)
        case UInt8(ascii: "["): return try readArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return try readNumber()
        }
    }

    private mutating func readObject(depth: Int) throws(RecordError) -> Value {
        index += 1
        var entries: [Value.MapEntry] = []
        // Keys are equal if their bytes are. Texts are equal to Swift if they look the same.
        var seen: Set<[UInt8]> = []
        skipSpace()
        if take("}") { return .map([]) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let key = try readString()
            guard seen.insert(Array(key.utf8)).inserted else { throw fault("has key `\(key)` twice") }
            skipSpace()
            guard take(":") else { throw unexpected("`:`") }
            entries.append(Value.MapEntry(key: .string(key), value: try read(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw unexpected("`,` or `}`") }
        return .map(entries)
    }

    private mutating func readArray(depth: Int) throws(RecordError) -> Value {
        index += 1
        var values: [Value] = []
        skipSpace()
        if take("]") { return .list([]) }
        repeat {
            values.append(try read(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw unexpected("`,` or `]`") }
        return .list(values)
    }

    private mutating func readWord(_ word: String, _ value: Value) throws(RecordError) -> Value {
        guard bytes[index...].starts(with: word.utf8) else { throw unexpected("a value") }
        index += word.utf8.count
        return value
    }

    /// Reads a number. It is an integer without fraction and exponent, except `-0`; all others are doubles.
    private mutating func readNumber() throws(RecordError) -> Value {
        let start = index
        var isWhole = true
        let isNegative = take("-")
        guard let first = peek, (48...57).contains(first) else { throw unexpected("a value") }
        index += 1
        if first != UInt8(ascii: "0") { skipDigits() }
        if take(".") {
            isWhole = false
            guard skipDigits() else { throw unexpected("a digit") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard skipDigits() else { throw unexpected("a digit") }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let value = Int64(text), !(isNegative && value == 0) { return .int(value) }
        if isWhole, !isNegative, let value = UInt64(text) { return .uint(value) }
        // A double would change the number.
        if isWhole, text != "-0" { throw fault("has a whole number beyond 64 bits: `\(text)`") }
        guard let value = Double(text), value.isFinite else {
            throw fault("has a number beyond a double: `\(text)`")
        }
        return .double(value)
    }

    private mutating func readString() throws(RecordError) -> String {
        index += 1
        var content: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw fault("has a string that is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try readEscape(into: &content)
            case 0..<0x20: throw fault("has a control character in a string; escape it")
            default: content.append(byte)
            }
        }
        throw fault("has a string without its closing quote")
    }

    private mutating func readEscape(into content: inout [UInt8]) throws(RecordError) {
        guard let escaped = peek else { throw fault("ends inside an escape") }
        index += 1
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(escaped)
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "u"):
            var code = try readHexadecimal()
            if (0xD800..<0xDC00).contains(code) {
                guard take("\\"), take("u") else { throw fault("has half of a surrogate pair") }
                let low = try readHexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw fault("has half of a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("has half of a surrogate pair") }
            content.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw fault("has an unknown escape in a string")
        }
    }

    private mutating func readHexadecimal() throws(RecordError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            index += 1
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = peek, (48...57).contains(byte) { index += 1 }
        return index > start
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 32 || (9...10).contains(byte) || byte == 13 { index += 1 }
    }

    private func unexpected(_ wanted: String) -> RecordError { fault("wants \(wanted)") }

    private func fault(_ what: String) -> RecordError {
        RecordError(.invalidJSON, "the JSON \(what) at byte \(index + 1)")
    }
}
