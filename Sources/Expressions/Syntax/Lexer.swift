import Diagnostics

/// Splits an expression into tokens, as the CEL language definition specifies.
struct Lexer {
    let bytes: [UInt8]
    var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Reads the next token. At the end of the text, every call returns `.end`.
    mutating func next() throws(TextFault) -> Token {
        skipSpaceAndComments()
        guard let byte = peek() else { return Token(kind: .end, range: index..<index) }
        let start = index
        if let literal = try readPrefixedLiteral() { return literal }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            while let byte = peek(), Self.isWordByte(byte) { index += 1 }
            return Token(kind: .word(text(start..<index)), range: start..<index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        case UInt8(ascii: "."):
            if let digit = peek(1), Self.isDigit(digit) { return try readNumber() }
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return try readText(from: start, isRaw: false, isBytes: false)
        case UInt8(ascii: "`"): return try readQuotedName()
        default: break
        }
        if let next = peek(1), let symbol = Token.Symbol(byte, next) {
            index += 2
            return Token(kind: .symbol(symbol), range: start..<index)
        }
        guard let symbol = Token.Symbol(byte) else { throw unexpectedCharacter() }
        index += 1
        return Token(kind: .symbol(symbol), range: start..<index)
    }

    /// Reads the name of a field in backticks: letters, digits, `_`, `.`, `-`, `/` and spaces.
    private mutating func readQuotedName() throws(TextFault) -> Token {
        let start = index
        index += 1
        while let byte = peek(), Self.isWordByte(byte) || Self.quotedBytes.contains(byte) { index += 1 }
        guard index > start + 1, peek() == UInt8(ascii: "`") else {
            throw TextFault(
                .unclosedLiteral, "the quoted name has no closing backtick", at: start..<index,
                label: "starts here")
        }
        index += 1
        return Token(kind: .quoted(text(start + 1..<index - 1)), range: start..<index)
    }

    private static let quotedBytes = Array(".-/ ".utf8)

    /// Reads a literal with `r`, `b` or `br` before its quote; nil when there is none.
    private mutating func readPrefixedLiteral() throws(TextFault) -> Token? {
        let start = index
        var end = index
        let isBytes = end < bytes.count && bytes[end] | 0x20 == UInt8(ascii: "b")
        if isBytes { end += 1 }
        let isRaw = end < bytes.count && bytes[end] | 0x20 == UInt8(ascii: "r")
        if isRaw { end += 1 }
        guard end > start, end < bytes.count,
            bytes[end] == UInt8(ascii: "'") || bytes[end] == UInt8(ascii: "\"")
        else { return nil }
        index = end
        return try readText(from: start, isRaw: isRaw, isBytes: isBytes)
    }

    private mutating func readNumber() throws(TextFault) -> Token {
        let start = index
        if peek() == UInt8(ascii: "0"), let x = peek(1), x | 0x20 == UInt8(ascii: "x") {
            index += 2
            while let byte = peek(), Self.isHexadecimal(byte) { index += 1 }
            return try integer(text(start + 2..<index), radix: 16, from: start)
        }
        skipDigits()
        var isWhole = true
        if peek() == UInt8(ascii: "."), let digit = peek(1), Self.isDigit(digit) {
            isWhole = false
            index += 1
            skipDigits()
        }
        if let exponent = peek(), exponent | 0x20 == UInt8(ascii: "e") {
            var digits = index + 1
            if digits < bytes.count, bytes[digits] == UInt8(ascii: "+") || bytes[digits] == UInt8(ascii: "-")
            {
                digits += 1
            }
            if digits < bytes.count, Self.isDigit(bytes[digits]) {
                isWhole = false
                index = digits
                skipDigits()
            }
        }
        guard !isWhole else { return try integer(text(start..<index), radix: 10, from: start) }
        try refuseSuffix(from: start)
        let digits = text(start..<index)
        // `Double` requires a digit before the point.
        guard let value = Double(digits.hasPrefix(".") ? "0" + digits : digits), value.isFinite else {
            throw TextFault(.invalidNumber, "`\(digits)` does not fit double", at: start..<index)
        }
        return Token(kind: .double(value), range: start..<index)
    }

    private mutating func integer(_ digits: String, radix: Int, from start: Int) throws(TextFault) -> Token {
        let isUnsigned = peek().map { $0 | 0x20 == UInt8(ascii: "u") } ?? false
        if isUnsigned { index += 1 }
        try refuseSuffix(from: start)
        let range = start..<index
        guard !digits.isEmpty else {
            throw TextFault(.invalidNumber, "`\(text(range))` has no digits", at: range)
        }
        guard let value = UInt64(digits, radix: radix) else {
            throw TextFault(
                .invalidNumber, "`\(text(range))` does not fit 64 bits", at: range,
                help: ["write a double, such as `1e20`, for a number this large"])
        }
        return Token(kind: isUnsigned ? .uint(value) : .int(magnitude: value), range: range)
    }

    /// Throws when a letter or digit follows a number, as in `1abc`.
    private func refuseSuffix(from start: Int) throws(TextFault) {
        guard let byte = peek(), Self.isWordByte(byte) else { return }
        var end = index
        while end < bytes.count, Self.isWordByte(bytes[end]) { end += 1 }
        throw TextFault(.invalidNumber, "`\(text(start..<end))` is not a number", at: start..<end)
    }

    private mutating func skipDigits() {
        while let byte = peek(), Self.isDigit(byte) { index += 1 }
    }

    private mutating func skipSpaceAndComments() {
        while let byte = peek() {
            switch byte {
            case 9, 10, 12, 13, 32: index += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while let byte = peek(), byte != 10 { index += 1 }
            default: return
            }
        }
    }

    private func unexpectedCharacter() -> TextFault {
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let character = text(index..<end)
        let help =
            switch character {
            case "=": ["write `==` to compare"]
            case "&": ["write `&&` for and"]
            case "|": ["write `||` for or"]
            default: [String]()
            }
        return TextFault(
            .unexpectedCharacter, "`\(character)` has no meaning in an expression", at: index..<end,
            help: help)
    }

    func peek(_ ahead: Int = 0) -> UInt8? {
        index + ahead < bytes.count ? bytes[index + ahead] : nil
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 0x20) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
