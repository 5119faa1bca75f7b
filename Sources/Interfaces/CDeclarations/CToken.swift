import Diagnostics

/// A word or sign of C.
struct CToken: Sendable {
    enum Kind: Sendable {
        /// Identifier or keyword.
        case word
        case number
        /// A character or string literal, quotes included.
        case literal
        case punctuation
        /// Characters that no declaration contains.
        case unknown
        case end
    }

    let kind: Kind
    let text: String
    /// UTF-8 offsets in the text.
    let range: Range<Int>

    /// The token for messages.
    var shown: String {
        guard kind != .end else { return "the end" }
        return text.utf8.count > 40 ? "`\(String(text.prefix(32)))…`" : "`\(text)`"
    }
}

/// Splits a text into tokens. It skips comments; preprocessor lines are faults.
struct CLexer {
    private(set) var tokens: [CToken] = []
    private(set) var faults: [TextFault] = []
    private let bytes: [UInt8]
    private var position = 0
    private var startsLine = true

    init(_ text: String) {
        bytes = Array(text.utf8)
        while position < bytes.count { step() }
        tokens.append(CToken(kind: .end, text: "", range: bytes.count..<bytes.count))
    }

    private mutating func step() {
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "\n"):
            position += 1
            startsLine = true
            return
        case UInt8(ascii: " "), 9, 11, 12, 13:
            position += 1
            return
        case UInt8(ascii: "\\") where peek(1) == UInt8(ascii: "\n"):
            position += 2
            return
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
            skipLine()
            return
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            skipComment()
            return
        case UInt8(ascii: "#") where startsLine:
            skipLine()
            refuseDirective(start..<position)
            return
        case let byte where Self.isDigit(byte) || (byte == UInt8(ascii: ".") && Self.isDigit(peek(1))):
            position += 1
            while Self.isWord(peek(0)) || peek(0) == UInt8(ascii: ".") { position += 1 }
            add(.number, from: start)
        case let byte where Self.isWord(byte):
            while Self.isWord(peek(0)) { position += 1 }
            add(.word, from: start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            skipLiteral()
            add(.literal, from: start)
        case UInt8(ascii: ".") where peek(1) == UInt8(ascii: ".") && peek(2) == UInt8(ascii: "."):
            position += 3
            add(.punctuation, from: start)
        case UInt8(ascii: "<") where peek(1) == UInt8(ascii: "<"),
            UInt8(ascii: ">") where peek(1) == UInt8(ascii: ">"):
            position += 2
            add(.punctuation, from: start)
        case let byte where Self.isPunctuation(byte):
            position += 1
            add(.punctuation, from: start)
        default:
            // Adjacent stray bytes are one token, so that a character of several bytes is not split.
            while position < bytes.count, Self.isStray(bytes[position]) { position += 1 }
            add(.unknown, from: start)
        }
        startsLine = false
    }

    /// The byte at a distance from the position; 0 beyond the end.
    private func peek(_ distance: Int) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    private mutating func add(_ kind: CToken.Kind, from start: Int) {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        tokens.append(CToken(kind: kind, text: text, range: start..<position))
    }

    /// Skips to the end of the line. A backslash at the end continues the line.
    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            position += bytes[position] == UInt8(ascii: "\\") && position + 1 < bytes.count ? 2 : 1
        }
    }

    private mutating func skipComment() {
        let start = position
        position += 2
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                position += 2
                return
            }
            position += 1
        }
        faults.append(
            TextFault(
                .strayCharacter, "the comment has no end", at: start..<start + 2,
                help: ["close it with `*/`"]))
    }

    /// Skips a literal, which ends at the end of its line at the latest.
    private mutating func skipLiteral() {
        let quote = bytes[position]
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            let byte = bytes[position]
            position += byte == UInt8(ascii: "\\") && peek(1) != UInt8(ascii: "\n") && peek(1) != 0 ? 2 : 1
            if byte == quote { return }
        }
    }

    private mutating func refuseDirective(_ range: Range<Int>) {
        let line = String(decoding: bytes[range].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let word = line.dropFirst().drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter }
        let help =
            switch word {
            case "include": "write the needed declarations instead of including a header"
            case "define":
                "write a constant as `enum { NAME = value };`, and replace other macros by their definitions"
            default: "write the declarations as they are after the preprocessor"
            }
        faults.append(
            TextFault(
                .preprocessorLine, "`#\(word)` is not supported: the preprocessor does not run here",
                at: range.lowerBound..<range.lowerBound + line.utf8.count, help: [help]))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }

    private static let punctuation = Set("(){}[];,*:=+-/%~&|^<>!?.".utf8)

    private static func isPunctuation(_ byte: UInt8) -> Bool { punctuation.contains(byte) }

    private static func isStray(_ byte: UInt8) -> Bool {
        !(isWord(byte) || isPunctuation(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            || byte == UInt8(ascii: " ") || (9...13).contains(byte))
    }
}
