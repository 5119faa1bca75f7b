/// The smallest piece of an expression that means something.
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

    enum Symbol: String, Hashable, Sendable {
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case less = "<"
        case greater = ">"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divide = "/"
        case modulo = "%"
        case not = "!"
        case question = "?"
        case colon = ":"
        case comma = ","
        case dot = "."
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
        case openBrace = "{"
        case closeBrace = "}"
    }

    let kind: Kind
    /// Where it stands, as UTF-8 offsets.
    let range: Range<Int>

    /// The token for a message.
    var description: String {
        switch kind {
        case .word(let word): "`\(word)`"
        case .int, .uint, .double: "a number"
        case .string: "a string"
        case .bytes: "a bytes literal"
        case .quoted(let name): "the quoted name `\(name)`"
        case .symbol(let symbol): "`\(symbol.rawValue)`"
        case .end: "the end of the expression"
        }
    }
}
