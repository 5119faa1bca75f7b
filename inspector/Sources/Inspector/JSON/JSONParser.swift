/// Parses one value of JSON (RFC 8259), and nothing else.
struct JSONParser {
    /// The text is not JSON, from this byte on; bytes count from 1.
    struct Fault: Error, Equatable {
        let offset: Int
    }

    /// How deep values may lie in each other.
    private static let deepest = 128

    private let bytes: [UInt8]
    private var next = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value that the bytes are, in UTF-8.
    ///
    /// - Throws: the place of the first fault.
    static func value(of bytes: [UInt8]) throws(Fault) -> JSON {
        var parser = JSONParser(bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.next == bytes.count else { throw parser.fault }
        return value
    }

    private var fault: Fault { Fault(offset: next + 1) }

    private var peek: UInt8? { next < bytes.count ? bytes[next] : nil }

    private mutating func skipSpace() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { next += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        next += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSON {
        guard depth < Self.deepest else { throw fault }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(Fault) -> JSON {
        for byte in "\(text)".utf8 {
            guard peek == byte else { throw fault }
            next += 1
        }
        return value
    }

    private mutating func object(_ depth: Int) throws(Fault) -> JSON {
        next += 1
        var members: [JSON.Member] = []
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw fault }
            let key = try string()
            skipSpace()
            guard take(":") else { throw fault }
            members.append(JSON.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault }
        return .object(members)
    }

    private mutating func list(_ depth: Int) throws(Fault) -> JSON {
        next += 1
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .list(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault }
        return .list(elements)
    }

    private mutating func number() throws(Fault) -> String {
        let start = next
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<next], as: UTF8.self)
    }

    private mutating func digits() throws(Fault) {
        let start = next
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { next += 1 }
        guard next > start else { throw fault }
    }

    private mutating func string() throws(Fault) -> String {
        next += 1
        let start = next
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else {
                    next = start
                    throw fault
                }
                next += 1
                return valid
            case UInt8(ascii: "\\"):
                next += 1
                text += try escaped()
            case ..<0x20: throw fault
            default:
                text.append(byte)
                next += 1
            }
        }
        throw fault
    }

    /// The characters that stand for one byte after a backslash.
    private static let plain: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 8,
        UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    ]

    private mutating func escaped() throws(Fault) -> [UInt8] {
        guard let byte = peek else { throw fault }
        if let value = Self.plain[byte] {
            next += 1
            return [value]
        }
        guard take("u") else { throw fault }
        var code = try unit()
        if (0xD800..<0xDC00).contains(code) {
            guard take("\\"), take("u") else { throw fault }
            let low = try unit()
            guard (0xDC00..<0xE000).contains(low) else { throw fault }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func unit() throws(Fault) -> UInt32 {
        guard next + 4 <= bytes.count else { throw fault }
        var code: UInt32 = 0
        for byte in bytes[next..<next + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw fault }
            code = code << 4 + UInt32(digit)
        }
        next += 4
        return code
    }
}
