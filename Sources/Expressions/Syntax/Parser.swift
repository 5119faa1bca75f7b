import Diagnostics
import Records

/// A parser of the grammar in the CEL language definition. It uses precedence climbing with one token of
/// lookahead.
struct Parser {
    /// The limit on the bytes of UTF-8. Longer expressions are refused before they are read.
    static let maximumLength = 65_536
    /// The limit on levels of nesting. It bounds the recursion.
    static let maximumDepth = 100

    private static let reserved: Set<String> = [
        "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let",
        "loop",
        "namespace", "null", "package", "return", "true", "var", "void", "while",
    ]

    private var lexer: Lexer
    private var token: Token
    private var depth = 0

    /// Parses the whole text to a syntax tree.
    static func parse(_ text: String) throws(TextFault) -> Syntax {
        guard text.utf8.count <= maximumLength else {
            throw TextFault(
                .expressionTooLong,
                "the expression has \(text.utf8.count) bytes, more than the \(maximumLength) allowed",
                at: 0..<0)
        }
        var parser = try Parser(text)
        guard parser.token.kind != .end else {
            throw TextFault(.unexpectedToken, "the expression is empty", at: 0..<text.utf8.count)
        }
        let syntax = try parser.parseExpression()
        guard parser.token.kind == .end else { throw parser.unexpected("an operator or the end") }
        return syntax
    }

    private init(_ text: String) throws(TextFault) {
        lexer = Lexer(text)
        token = try lexer.next()
    }

    private mutating func advance() throws(TextFault) { token = try lexer.next() }

    private mutating func take(_ symbol: Token.Symbol) throws(TextFault) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    /// `or [? or : expression]`
    private mutating func parseExpression() throws(TextFault) -> Syntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw tooDeep(at: token.range) }
        let condition = try parseChain(.or) { parser throws(TextFault) in
            try parser.parseChain(.and) { parser throws(TextFault) in try parser.parseBinary(1) }
        }
        guard try take(.question) else { return condition }
        let positive = try parseExpression()
        guard try take(.colon) else { throw unexpected("`:` and the other value") }
        let negative = try parseExpression()
        return try node(
            .conditional(condition, positive, negative), max(condition.depth, positive.depth, negative.depth),
            condition.extent.lowerBound..<negative.extent.upperBound)
    }

    /// Parses operands joined by `&&` or `||` to a balanced tree. Both are associative, and a balanced tree
    /// keeps a long chain from becoming deep.
    private mutating func parseChain(
        _ symbol: Token.Symbol, _ parseOperand: (inout Parser) throws(TextFault) -> Syntax
    ) throws(TextFault) -> Syntax {
        let first = try parseOperand(&self)
        guard token.kind == .symbol(symbol) else { return first }
        var operands = [first]
        while try take(symbol) { operands.append(try parseOperand(&self)) }
        while operands.count > 1 {
            var joined: [Syntax] = []
            for index in stride(from: 0, to: operands.count - 1, by: 2) {
                let (left, right) = (operands[index], operands[index + 1])
                joined.append(
                    try node(
                        symbol == .and ? .and(left, right) : .or(left, right), max(left.depth, right.depth),
                        left.extent.lowerBound..<right.extent.upperBound))
            }
            if !operands.count.isMultiple(of: 2) { joined.append(operands[operands.count - 1]) }
            operands = joined
        }
        return operands[0]
    }

    private mutating func parseBinary(_ minimum: Int) throws(TextFault) -> Syntax {
        var left = try parseUnary()
        while let operation = binaryOperator, operation.precedence >= minimum {
            try advance()
            let right = try parseBinary(operation.precedence + 1)
            left = try node(
                .binary(operation, left, right), max(left.depth, right.depth),
                left.extent.lowerBound..<right.extent.upperBound)
        }
        return left
    }

    private var binaryOperator: BinaryOperator? {
        switch token.kind {
        case .symbol(let symbol): BinaryOperator(symbol)
        case .word("in"): .in
        default: nil
        }
    }

    private mutating func parseUnary() throws(TextFault) -> Syntax {
        var operators: [Token] = []
        while token.kind == .symbol(.not) || token.kind == .symbol(.minus) {
            operators.append(token)
            guard operators.count <= Self.maximumDepth else { throw tooDeep(at: token.range) }
            try advance()
        }
        var operand: Syntax
        // A minus sign directly before a number is part of the number. Otherwise the smallest int could not
        // be written.
        if let sign = operators.last, sign.kind == .symbol(.minus), let value = negativeLiteral {
            operators.removeLast()
            let literal = try node(.literal(value), 0, sign.range.lowerBound..<token.range.upperBound)
            try advance()
            operand = try parseMember(literal)
        } else {
            operand = try parseMember(try parsePrimary())
        }
        for sign in operators.reversed() {
            operand = try node(
                sign.kind == .symbol(.not) ? .not(operand) : .negate(operand), operand.depth,
                sign.range.lowerBound..<operand.extent.upperBound)
        }
        return operand
    }

    private var negativeLiteral: Value? {
        switch token.kind {
        case .int(let magnitude) where magnitude <= Int64.min.magnitude:
            .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        case .double(let value): .double(-value)
        default: nil
        }
    }

    /// Parses the fields, calls and indices after a primary expression.
    private mutating func parseMember(_ primary: Syntax) throws(TextFault) -> Syntax {
        var operand = primary
        while true {
            let start = operand.extent.lowerBound
            if try take(.dot) {
                let isOptional = try take(.question)
                let (name, nameRange) = (try fieldName(), token.range)
                let isWord = if case .word = token.kind { true } else { false }
                try advance()
                if isWord, !isOptional, try take(.openParenthesis) {
                    let arguments = try parseList(until: .closeParenthesis)
                    operand = try node(
                        try method(name, at: nameRange, of: operand, arguments.items),
                        max(operand.depth, arguments.depth), start..<arguments.end)
                } else {
                    if token.kind == .symbol(.openBrace), let path = operand.path(isHidden: { _ in false }) {
                        throw notSupported("building a message `\(path).\(name){…}`")
                    }
                    let kind: SyntaxKind =
                        isOptional
                        ? .optionalSelect(operand, field: name, fieldRange: nameRange)
                        : .select(operand, field: name, fieldRange: nameRange)
                    operand = try node(kind, operand.depth, start..<nameRange.upperBound)
                }
            } else if try take(.openBracket) {
                let isOptional = try take(.question)
                let index = try parseExpression()
                let end = token.range.upperBound
                guard try take(.closeBracket) else { throw unexpected("`]`") }
                operand = try node(
                    isOptional ? .optionalIndex(operand, index) : .index(operand, index),
                    max(operand.depth, index.depth), start..<end)
            } else {
                return operand
            }
        }
    }

    /// Reads the name after a dot: a word, or text in backticks.
    private func fieldName() throws(TextFault) -> String {
        switch token.kind {
        case .word("true"), .word("false"), .word("null"), .word("in"):
            throw unexpected("the name of a field")
        case .word(let name), .quoted(let name): return name
        default: throw unexpected("the name of a field")
        }
    }

    private mutating func parsePrimary() throws(TextFault) -> Syntax {
        let start = token.range.lowerBound
        switch token.kind {
        case .int(let magnitude):
            guard let value = Int64(exactly: magnitude) else {
                throw TextFault(
                    .invalidNumber, "`\(magnitude)` does not fit int (\(IntegerType.i64.range))",
                    at: token.range, help: ["write `\(magnitude)u` for a uint"])
            }
            return try literal(.int(value))
        case .uint(let value): return try literal(.uint(value))
        case .double(let value): return try literal(.double(value))
        case .string(let value): return try literal(.string(value))
        case .bytes(let value): return try literal(.bytes(value))
        case .word("true"): return try literal(.bool(true))
        case .word("false"): return try literal(.bool(false))
        case .word("null"): return try literal(.null)
        case .word, .symbol(.dot): return try parseName()
        case .symbol(.openParenthesis):
            try advance()
            let inner = try parseExpression()
            let end = token.range.upperBound
            guard try take(.closeParenthesis) else { throw unexpected("`)`") }
            return Syntax(kind: inner.kind, range: inner.range, extent: start..<end, depth: inner.depth)
        case .symbol(.openBracket):
            try advance()
            let elements = try parseList(until: .closeBracket)
            return try node(.list(elements.items), elements.depth, start..<elements.end)
        case .symbol(.openBrace):
            try advance()
            return try parseMap(from: start)
        default: throw unexpected("a value")
        }
    }

    /// Parses a name or a call. A name after a leading dot is looked up in the scope, not among the variables
    /// of macros.
    private mutating func parseName() throws(TextFault) -> Syntax {
        let start = token.range.lowerBound
        let isRoot = try take(.dot)
        guard case .word(let name) = token.kind else { throw unexpected("a name") }
        let nameRange = token.range
        guard !Self.reserved.contains(name) else {
            throw name == "in"
                ? unexpected("a value")
                : TextFault(
                    .reservedName, "`\(name)` is a reserved word of the expression language", at: nameRange)
        }
        try advance()
        if token.kind == .symbol(.openBrace) { throw notSupported("building a message `\(name){…}`") }
        guard try take(.openParenthesis) else {
            return try node(.identifier(name, isRoot: isRoot), 0, start..<nameRange.upperBound)
        }
        let arguments = try parseList(until: .closeParenthesis)
        guard name == "has" else {
            return try node(
                .call(name, nameRange: nameRange, target: nil, arguments.items), arguments.depth,
                start..<arguments.end)
        }
        guard arguments.items.count == 1,
            case .select(let operand, let field, let fieldRange) = arguments.items[0].kind
        else {
            throw TextFault(
                .notAField, "`has` needs one field, such as `has(state.name)`", at: start..<arguments.end)
        }
        return try node(
            .presence(operand, field: field, fieldRange: fieldRange), arguments.depth, start..<arguments.end)
    }

    /// Parses expressions up to a closing symbol. `end` is where that symbol ends.
    private mutating func parseList(until close: Token.Symbol) throws(TextFault) -> (
        items: [Syntax], depth: Int, end: Int
    ) {
        var items: [Syntax] = []
        while token.kind != .symbol(close) {
            let question = token.range
            let isOptional = close == .closeBracket ? try take(.question) : false
            let item = try parseExpression()
            items.append(isOptional ? try optionalElement(item, from: question.lowerBound) : item)
            // A comma may follow the last element of a list, but not the last argument of a call.
            guard token.kind == .symbol(.comma) else { break }
            let comma = token
            try advance()
            if close == .closeParenthesis, token.kind == .symbol(close) {
                throw TextFault(.unexpectedToken, "expected an argument after `,`", at: comma.range)
            }
        }
        let end = token.range.upperBound
        guard try take(close) else { throw unexpected("`,` or `\(close.text)`") }
        return (items, items.lazy.map(\.depth).max() ?? 0, end)
    }

    private mutating func parseMap(from start: Int) throws(TextFault) -> Syntax {
        var entries: [(key: Syntax, value: Syntax)] = []
        while token.kind != .symbol(.closeBrace) {
            let isOptional = try take(.question)
            let key = try parseExpression()
            guard try take(.colon) else { throw unexpected("`:` and the value of this key") }
            let value = try parseExpression()
            let element = isOptional ? try optionalElement(value, from: value.extent.lowerBound) : value
            entries.append((key, element))
            guard try take(.comma) else { break }
        }
        let end = token.range.upperBound
        guard try take(.closeBrace) else { throw unexpected("`,` or `}`") }
        let depth = entries.lazy.map { max($0.key.depth, $0.value.depth) }.max() ?? 0
        return try node(.map(entries), depth, start..<end)
    }

    /// A part of a list or map with a `?` before it.
    private func optionalElement(_ element: Syntax, from start: Int) throws(TextFault) -> Syntax {
        try node(.optionalElement(element), element.depth, start..<element.extent.upperBound)
    }

    private mutating func literal(_ value: Value) throws(TextFault) -> Syntax {
        let syntax = try node(.literal(value), 0, token.range)
        try advance()
        return syntax
    }

    /// Makes a node whose deepest child has `levels` levels.
    private func node(
        _ kind: SyntaxKind, _ levels: Int, _ range: Range<Int>
    ) throws(TextFault) -> Syntax {
        let depth = 1 + levels
        guard depth <= Self.maximumDepth else { throw tooDeep(at: range) }
        return Syntax(kind: kind, range: range, extent: range, depth: depth)
    }

    private func tooDeep(at range: Range<Int>) -> TextFault {
        TextFault(
            .nestedTooDeep, "the expression is nested deeper than \(Self.maximumDepth) levels", at: range,
            help: ["split it into several expressions"])
    }

    private func notSupported(_ what: String) -> TextFault {
        TextFault(.notSupportedYet, "\(what) is not supported yet", at: token.range)
    }

    private func unexpected(_ wanted: String) -> TextFault {
        let help: [String] =
            switch token.kind {
            case .word("and"): ["write `&&`"]
            case .word("or"): ["write `||`"]
            default: []
            }
        return TextFault(
            .unexpectedToken, "expected \(wanted), found \(token.description)", at: token.range, help: help)
    }
}
