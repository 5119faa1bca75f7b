/// A token: the smallest part of an expression that has a meaning.
struct Token: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A name, a keyword (`true`, `false`, `null`, `in`) or a reserved word.
        case word(String)
        /// An integer without a suffix; a sign before it is a token of its own.
        case int(magnitude: UInt64)
        case uint(UInt64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        /// The name of a field in backticks.
        case quoted(String)
        case symbol(Symbol)
        case end
    }

    enum Symbol: Hashable, Sendable {
        case equal, notEqual, lessOrEqual, greaterOrEqual, and, or
        case less, greater, plus, minus, times, divide, modulo, not, question, colon, comma, dot
        case openParenthesis, closeParenthesis, openBracket, closeBracket, openBrace, closeBrace

        /// The symbol of two characters.
        init?(_ first: UInt8, _ second: UInt8) {
            switch (first, second) {
            case (UInt8(ascii: "="), UInt8(ascii: "=")): self = .equal
            case (UInt8(ascii: "!"), UInt8(ascii: "=")): self = .notEqual
            case (UInt8(ascii: "<"), UInt8(ascii: "=")): self = .lessOrEqual
            case (UInt8(ascii: ">"), UInt8(ascii: "=")): self = .greaterOrEqual
            case (UInt8(ascii: "&"), UInt8(ascii: "&")): self = .and
            case (UInt8(ascii: "|"), UInt8(ascii: "|")): self = .or
            default: return nil
            }
        }

        /// The symbol of one character.
        init?(_ character: UInt8) {
            switch character {
            case UInt8(ascii: "<"): self = .less
            case UInt8(ascii: ">"): self = .greater
            case UInt8(ascii: "+"): self = .plus
            case UInt8(ascii: "-"): self = .minus
            case UInt8(ascii: "*"): self = .times
            case UInt8(ascii: "/"): self = .divide
            case UInt8(ascii: "%"): self = .modulo
            case UInt8(ascii: "!"): self = .not
            case UInt8(ascii: "?"): self = .question
            case UInt8(ascii: ":"): self = .colon
            case UInt8(ascii: ","): self = .comma
            case UInt8(ascii: "."): self = .dot
            case UInt8(ascii: "("): self = .openParenthesis
            case UInt8(ascii: ")"): self = .closeParenthesis
            case UInt8(ascii: "["): self = .openBracket
            case UInt8(ascii: "]"): self = .closeBracket
            case UInt8(ascii: "{"): self = .openBrace
            case UInt8(ascii: "}"): self = .closeBrace
            default: return nil
            }
        }

        /// The symbol as it is written.
        var text: String {
            switch self {
            case .equal: "=="
            case .notEqual: "!="
            case .lessOrEqual: "<="
            case .greaterOrEqual: ">="
            case .and: "&&"
            case .or: "||"
            case .less: "<"
            case .greater: ">"
            case .plus: "+"
            case .minus: "-"
            case .times: "*"
            case .divide: "/"
            case .modulo: "%"
            case .not: "!"
            case .question: "?"
            case .colon: ":"
            case .comma: ","
            case .dot: "."
            case .openParenthesis: "("
            case .closeParenthesis: ")"
            case .openBracket: "["
            case .closeBracket: "]"
            case .openBrace: "{"
            case .closeBrace: "}"
            }
        }
    }

    let kind: Kind
    /// The range in the text as UTF-8 offsets.
    let range: Range<Int>

    /// The token for a message.
    var description: String {
        switch kind {
        case .word(let word): "`\(word)`"
        case .int, .uint, .double: "a number"
        case .string: "a string"
        case .bytes: "a bytes literal"
        case .quoted(let name): "the quoted name `\(name)`"
        case .symbol(let symbol): "`\(symbol.text)`"
        case .end: "the end of the expression"
        }
    }
}
