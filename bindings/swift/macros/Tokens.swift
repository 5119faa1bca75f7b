/// A word, a number, a string literal or one other character of Swift.
struct Token {
    let text: String
    /// From the start of the syntax, in bytes of UTF-8.
    let offset: Int
}

/// The tokens of a declaration, without comments and spaces.
struct Tokens {
    private(set) var all: [Token] = []
    /// The lines of doc comments before the token of that index.
    private(set) var docs: [Int: [String]] = [:]
    /// The index of the next token.
    var next = 0

    init(_ source: String) {
        let bytes = Array(source.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        func starts(_ index: Int, with word: StaticString) -> Bool {
            bytes[index...].starts(with: Array("\(word)".utf8))
        }
        var at = 0
        while at < bytes.count {
            let start = at
            if starts(at, with: "//") {
                while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
                if starts(start, with: "///") {
                    docs[all.count, default: []].append(text(start + 3..<at).trimmed)
                }
            } else if starts(at, with: "/*") {
                at += 2
                while at < bytes.count, !starts(at, with: "*/") { at += 1 }
                at += 2
            } else if bytes[at] <= UInt8(ascii: " ") {
                at += 1
            } else {
                at += 1
                if bytes[start] == UInt8(ascii: "\"") {
                    while at < bytes.count, bytes[at] != bytes[start] {
                        at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
                    }
                    at = min(at + 1, bytes.count)
                } else if bytes[start].isWord {
                    let isNumber = bytes[start].isDigit
                    while at < bytes.count,
                        bytes[at].isWord
                            || isNumber && bytes[at] == UInt8(ascii: ".")
                                && at + 1 < bytes.count && bytes[at + 1].isDigit
                    {
                        at += 1
                    }
                }
                all.append(Token(text: text(start..<at), offset: start))
            }
        }
    }

    /// The next token; nil at the end.
    var token: Token? { next < all.count ? all[next] : nil }

    /// Goes past the next token if it has this text.
    mutating func skip(_ text: String) -> Bool {
        guard token?.text == text else { return false }
        next += 1
        return true
    }

    /// The next token, which must be there.
    mutating func take(_ what: String) throws(Fault) -> Token {
        guard let token else { throw Fault("\(what) is expected", at: all.last) }
        next += 1
        return token
    }

    mutating func expect(_ text: String) throws(Fault) {
        guard skip(text) else { throw Fault("`\(text)` is expected", at: token ?? all.last) }
    }

    /// The tokens up to one of these that lies in no brackets.
    mutating func take(until ends: Set<String>) -> [Token] {
        var depth = 0
        var taken: [Token] = []
        while let token, depth > 0 || !ends.contains(token.text) {
            let isArrow = token.text == ">" && taken.last?.text == "-"
            if ["(", "[", "{", "<"].contains(token.text) { depth += 1 }
            if [")", "]", "}", ">"].contains(token.text), !isArrow {
                guard depth > 0 else { break }
                depth -= 1
            }
            taken.append(token)
            next += 1
        }
        return taken
    }

    /// Goes past attributes, and returns the modifiers after them.
    mutating func modifiers() -> [String] {
        var found: [String] = []
        while let token, !["func", "struct", "class", "var", "let"].contains(token.text) {
            next += 1
            if token.text == "@" {
                next += 1
                if skip("(") {
                    _ = take(until: [")"])
                    _ = skip(")")
                }
            } else {
                found.append(token.text)
            }
        }
        return found
    }

    /// The text of the doc comments from this token to the next one.
    func doc(from first: Int) -> String {
        (first...max(first, next)).flatMap { docs[$0] ?? [] }.joined(separator: " ")
    }
}

extension [Token] {
    var text: String { map(\.text).joined() }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    /// Letters, digits, `_`, backticks, and all characters beyond ASCII.
    fileprivate var isWord: Bool {
        isDigit || self >= 0x80 || self == UInt8(ascii: "_") || self == UInt8(ascii: "`")
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
    }
}
