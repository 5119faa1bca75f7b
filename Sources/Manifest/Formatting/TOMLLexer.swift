/// A piece of a TOML text, as it is written.
struct TOMLToken {
    enum Kind {
        /// A part of a bare key, or of a value that is not a string.
        case word
        case string
        /// A string without its end, in a text that is not TOML.
        case openString
        /// Without the white space at its end.
        case comment
        case newline
        case equals, comma, openBracket, closeBracket, openBrace, closeBrace
    }

    let kind: Kind
    let text: ArraySlice<UInt8>
}

/// Splits a TOML text into tokens, one after the other. Spaces and tabs between them belong to no token.
struct TOMLLexer {
    /// The reason why a text has no further token, although the text has not ended.
    struct Unreadable: Error {}

    private let bytes: [UInt8]
    private var index: Int

    /// A byte order mark at the start is in no token: toml++ skips it.
    ///
    /// - Parameter start: the offset of the first token.
    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        index = start == 0 && bytes.starts(with: "\u{FEFF}".utf8) ? 3 : start
    }

    /// The next token; nil at the end of the text.
    mutating func next() throws(Unreadable) -> TOMLToken? {
        skipSpaces()
        guard let byte = peek else { return nil }
        switch byte {
        case UInt8(ascii: "\n"): return token(.newline, 1)
        case UInt8(ascii: "\r"):
            guard isByte("\n", at: index + 1) else { throw Unreadable() }
            return token(.newline, 2)
        case UInt8(ascii: "="): return token(.equals, 1)
        case UInt8(ascii: ","): return token(.comma, 1)
        case UInt8(ascii: "["): return token(.openBracket, 1)
        case UInt8(ascii: "]"): return token(.closeBracket, 1)
        case UInt8(ascii: "{"): return token(.openBrace, 1)
        case UInt8(ascii: "}"): return token(.closeBrace, 1)
        case UInt8(ascii: "#"): return comment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string()
        default:
            let start = index
            while let byte = peek, !Self.endsWord(byte) { index += 1 }
            return TOMLToken(kind: .word, text: bytes[start..<index])
        }
    }

    /// The next token of a text that need not be TOML; nil at its end. A string without its end reaches to the end of
    /// its line, or of the text. A carriage return that ends no line is skipped.
    mutating func nextOfAnyText() -> TOMLToken? {
        while true {
            skipSpaces()
            let start = index
            do { return try next() } catch {
                guard start < bytes.count, bytes[start] != UInt8(ascii: "\r") else {
                    index = start + 1
                    continue
                }
                let isLong = bytes[start...].starts(with: Array(repeating: bytes[start], count: 3))
                let lineEnd = isLong ? nil : bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
                index = lineEnd ?? bytes.count
                if lineEnd != nil, isByte("\r", at: index - 1) { index -= 1 }
                return TOMLToken(kind: .openString, text: bytes[start..<index])
            }
        }
    }

    private mutating func skipSpaces() {
        while peek == UInt8(ascii: " ") || peek == UInt8(ascii: "\t") { index += 1 }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "="),
            UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            true
        default: false
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func isByte(_ scalar: Unicode.Scalar, at index: Int) -> Bool {
        index < bytes.count && bytes[index] == UInt8(ascii: scalar)
    }

    private mutating func token(_ kind: TOMLToken.Kind, _ count: Int) -> TOMLToken {
        defer { index += count }
        return TOMLToken(kind: kind, text: bytes[index..<index + count])
    }

    private mutating func comment() -> TOMLToken {
        let start = index
        while let byte = peek, byte != UInt8(ascii: "\n") { index += 1 }
        var text = bytes[start..<index]
        while let last = text.last, " \t\r".utf8.contains(last) { text.removeLast() }
        // The carriage return before a newline is part of it.
        if index > start, isByte("\r", at: index - 1), peek != nil { index -= 1 }
        return TOMLToken(kind: .comment, text: text)
    }

    private mutating func string() throws(Unreadable) -> TOMLToken {
        let start = index
        guard
            let end = Self.endOfString(from: start, count: bytes.count, scalar: { Unicode.Scalar(bytes[$0]) })
        else { throw Unreadable() }
        index = end
        return TOMLToken(kind: .string, text: bytes[start..<end])
    }

    /// The index after the string that starts at `start`; nil if the text ends within it.
    ///
    /// - Parameters:
    ///   - count: the number of bytes or scalars of the text.
    ///   - scalar: the byte or scalar at an index of the text.
    static func endOfString(from start: Int, count: Int, scalar: (Int) -> Unicode.Scalar) -> Int? {
        let quote = scalar(start)
        func isQuote(_ index: Int) -> Bool { index < count && scalar(index) == quote }
        let isLong = isQuote(start + 1) && isQuote(start + 2)
        var index = start + (isLong ? 3 : 1)
        while index < count {
            // A backslash before the end of a line continues long strings only.
            if scalar(index) == "\\", quote == "\"", isLong || index + 1 == count || scalar(index + 1) != "\n"
            {
                index += 2
            } else if isQuote(index), !isLong || isQuote(index + 1) && isQuote(index + 2) {
                index += isLong ? 3 : 1
                // Up to two more quotes before the closing ones belong to the string.
                for _ in 0..<2 where isLong && isQuote(index) { index += 1 }
                return index
            } else if scalar(index) == "\n", !isLong {
                return nil
            } else {
                index += 1
            }
        }
        return nil
    }
}
