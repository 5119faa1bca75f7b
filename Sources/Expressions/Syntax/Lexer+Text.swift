import Diagnostics

extension Lexer {
    /// Reads a string or bytes literal. The opening quote is at `index`; the prefix begins at `start`.
    mutating func readText(from start: Int, isRaw: Bool, isBytes: Bool) throws(TextFault) -> Token {
        let quote = bytes[index]
        let isTriple = peek(1) == quote && peek(2) == quote
        index += isTriple ? 3 : 1
        var content: [UInt8] = []
        while true {
            guard let byte = peek() else { throw unclosed(from: start) }
            if byte == quote, !isTriple || peek(1) == quote && peek(2) == quote {
                index += isTriple ? 3 : 1
                break
            }
            switch byte {
            case UInt8(ascii: "\\") where !isRaw: try readEscape(into: &content, isBytes: isBytes)
            case 10, 13:
                guard isTriple else { throw unclosed(from: start) }
                fallthrough
            default:
                content.append(byte)
                index += 1
            }
        }
        // The bytes are valid UTF-8: the source is UTF-8, and escapes in strings add whole characters.
        let kind: Token.Kind = isBytes ? .bytes(content) : .string(String(decoding: content, as: UTF8.self))
        return Token(kind: kind, range: start..<index)
    }

    private mutating func readEscape(into content: inout [UInt8], isBytes: Bool) throws(TextFault) {
        let start = index
        index += 1
        guard let escaped = peek() else { throw unclosed(from: start) }
        index += 1
        switch escaped {
        case UInt8(ascii: "a"): content.append(7)
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "v"): content.append(11)
        case UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
            content.append(escaped)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            append(try readDigits(2, radix: 16, from: start), to: &content, isBytes: isBytes)
        case UInt8(ascii: "0")...UInt8(ascii: "3"):
            index -= 1
            append(try readDigits(3, radix: 8, from: start), to: &content, isBytes: isBytes)
        case UInt8(ascii: "u") where !isBytes: try appendScalar(4, from: start, to: &content)
        case UInt8(ascii: "U") where !isBytes: try appendScalar(8, from: start, to: &content)
        default:
            while let byte = peek(), byte & 0xC0 == 0x80 { index += 1 }
            throw TextFault(
                .invalidEscape, "`\(text(start..<index))` is not an escape", at: start..<index,
                help: ["write `\\\\` for a backslash, or start the literal with `r`, which has no escapes"])
        }
    }

    /// Appends a byte to a bytes literal, or the character with that number to a string.
    private func append(_ code: UInt32, to content: inout [UInt8], isBytes: Bool) {
        if isBytes || code < 0x80 {
            content.append(UInt8(code))
        } else {
            content += [UInt8(0xC0 | code >> 6), UInt8(0x80 | code & 0x3F)]
        }
    }

    private mutating func appendScalar(
        _ count: Int, from start: Int, to content: inout [UInt8]
    ) throws(TextFault) {
        let code = try readDigits(count, radix: 16, from: start)
        guard let scalar = Unicode.Scalar(code) else {
            throw TextFault(
                .invalidEscape, "`\(text(start..<index))` is not a character of Unicode", at: start..<index)
        }
        content += Array(String(Character(scalar)).utf8)
    }

    private mutating func readDigits(_ count: Int, radix: UInt32, from start: Int) throws(TextFault) -> UInt32
    {
        var code: UInt32 = 0
        for _ in 0..<count {
            guard let byte = peek(), Self.isHexadecimal(byte),
                let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix
            else {
                let kind = radix == 16 ? "hexadecimal" : "octal"
                throw TextFault(
                    .invalidEscape, "`\(text(start..<index))` needs \(count) \(kind) digits",
                    at: start..<index)
            }
            index += 1
            code = code << (radix == 16 ? 4 : 3) | UInt32(digit)
        }
        return code
    }

    private func unclosed(from start: Int) -> TextFault {
        TextFault(
            .unclosedLiteral, "the literal has no closing quote", at: start..<index, label: "starts here")
    }
}
