import Diagnostics

/// The names and brackets of an expression that may be unfinished or wrong, for editors.
///
/// It never fails: it skips characters without a meaning, and a literal without its end reaches to the end of the text.
package struct ExpressionOutline: Sendable {
    /// A name with the names behind its dots: `state.owner.name`.
    package struct Path: Sendable {
        /// A name of the path.
        package struct Part: Sendable {
            package let name: String
            /// Its range in the text, in UTF-8 offsets.
            package let range: Range<Int>
        }

        package fileprivate(set) var parts: [Part]
        /// Whether the last name is that of a function.
        package fileprivate(set) var isCall = false
        /// Whether the first name is the variable of a macro around it.
        package let isVariable: Bool
    }

    /// An open bracket of a macro: `items.all(x, …`.
    struct MacroCall: Hashable {
        let name: String
        /// What stands before the dot.
        let target: Range<Int>
        var variables: [String] = []
        /// The value of `cel.bind`.
        var value: Range<Int>?
    }

    package let text: String
    let tokens: [Token]
    /// For each token, where the operand that ends with it starts: at `a` for the `)` of `a.b(c)`.
    private(set) var operandStarts: [Int] = []
    /// For each token, the macros around it, the outermost first.
    private(set) var macros: [[MacroCall]] = []
    /// The macros around the end of the text, the outermost first.
    private(set) var openMacros: [MacroCall] = []
    /// The paths in the order of the text, without the variables that macros declare.
    package private(set) var paths: [Path] = []
    // The tokens that declare variables.
    private var declarations: Set<Int> = []

    package init(_ text: String) {
        self.text = text
        tokens = Self.tokens(of: text)
        readBrackets()
        readPaths()
    }

    private static func tokens(of text: String) -> [Token] {
        var (lexer, tokens): (Lexer, [Token]) = (Lexer(text), [])
        while lexer.index < lexer.bytes.count {
            let start = lexer.index
            do throws(TextFault) {
                let token = try lexer.next()
                if token.kind == .end { break }
                tokens.append(token)
            } catch {
                guard error.code == .unclosedLiteral else {
                    lexer.index = max(error.range.upperBound, start + 1)
                    continue
                }
                let rest = error.range.lowerBound..<lexer.bytes.count
                let content = lexer.bytes[rest].dropFirst()
                tokens.append(Token(kind: .string(String(decoding: content, as: UTF8.self)), range: rest))
                break
            }
        }
        return tokens
    }

    private struct Bracket {
        /// Where the operand starts that ends with the closing bracket.
        let start: Int
        var macro: MacroCall?
        /// The tokens of the present argument before this one.
        var argument: [Int] = []

        var hasVariables: Bool { macro.map { !$0.variables.isEmpty } ?? false }
    }

    /// Whether the token is a name, also `true` and other words.
    func word(_ index: Int) -> String? {
        guard tokens.indices.contains(index), case .word(let word) = tokens[index].kind else { return nil }
        return word
    }

    func isSymbol(_ symbol: Token.Symbol, _ index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .symbol(symbol)
    }

    /// Whether a dot, or `.?`, stands before the token. The result is the index of the dot.
    func dot(before index: Int) -> Int? {
        if isSymbol(.dot, index - 1) { return index - 1 }
        return isSymbol(.question, index - 1) && isSymbol(.dot, index - 2) ? index - 2 : nil
    }

    private mutating func readBrackets() {
        var open: [Bracket] = []
        for (index, token) in tokens.enumerated() {
            macros.append(openMacros)
            var start = token.range.lowerBound
            if let dot = dot(before: index), dot > 0 { start = operandStarts[dot - 1] }
            let follows = index > 0 && endsOperand(index - 1)
            switch token.kind {
            case .symbol(.openParenthesis):
                if follows { start = operandStarts[index - 1] }
                open.append(Bracket(start: start, macro: macro(at: index)))
            case .symbol(.openBracket):
                if follows { start = operandStarts[index - 1] }
                open.append(Bracket(start: start))
            case .symbol(.openBrace): open.append(Bracket(start: start))
            case .symbol(.closeParenthesis), .symbol(.closeBracket), .symbol(.closeBrace):
                if let bracket = open.popLast() {
                    start = bracket.start
                    if bracket.hasVariables { openMacros.removeLast() }
                }
            case .symbol(.comma): endArgument(of: &open)
            default: break
            }
            if !open.isEmpty, token.kind != .symbol(.comma) { open[open.count - 1].argument.append(index) }
            operandStarts.append(start)
        }
    }

    private func endsOperand(_ index: Int) -> Bool {
        switch tokens[index].kind {
        case .word(let word): word != "in"
        case .symbol(.closeParenthesis), .symbol(.closeBracket), .symbol(.closeBrace), .quoted: true
        default: false
        }
    }

    /// The macro whose parenthesis is at an index.
    private func macro(at index: Int) -> MacroCall? {
        guard let name = word(index - 1), let dot = dot(before: index - 1), dot > 0,
            Macro(name: name) != nil || OptionalMacro(rawValue: name) != nil || name == "bind"
        else { return nil }
        return MacroCall(name: name, target: operandStarts[dot - 1]..<tokens[dot - 1].range.upperBound)
    }

    /// Notes a variable of the innermost macro, or the value of `cel.bind`, at the comma behind it.
    private mutating func endArgument(of open: inout [Bracket]) {
        guard !open.isEmpty else { return }
        let last = open.count - 1
        var argument = open[last].argument
        open[last].argument = []
        guard var macro = open[last].macro else { return }
        if macro.variables.isEmpty, let bracket = argument.first, isSymbol(.openParenthesis, bracket) {
            argument.removeFirst()
        }
        let variable = argument.count == 1 ? argument.first.flatMap(word) : nil
        if let variable, macro.variables.isEmpty || macro.variables.count == 1 && takesTwo(macro.name) {
            macro.variables.append(variable)
            declarations.formUnion(argument)
        } else if macro.name == "bind", macro.value == nil, let first = argument.first {
            macro.value =
                tokens[first].range.lowerBound..<tokens[argument[argument.count - 1]].range.upperBound
        }
        if open[last].hasVariables { openMacros.removeLast() }
        open[last].macro = macro
        if open[last].hasVariables { openMacros.append(macro) }
    }

    private func takesTwo(_ macro: String) -> Bool {
        Macro(name: macro).map { $0.variableCount(ofArguments: 3) == 2 } ?? false
    }

    private mutating func readPaths() {
        var index = 0
        while index < tokens.count {
            guard let first = word(index), !Self.keywords.contains(first), dot(before: index) == nil,
                !declarations.contains(index)
            else {
                index += 1
                continue
            }
            var path = Path(
                parts: [Path.Part(name: first, range: tokens[index].range)],
                isVariable: macros[index].contains { $0.variables.contains(first) })
            index += 1
            while isSymbol(.dot, index) {
                let next = isSymbol(.question, index + 1) ? index + 2 : index + 1
                guard let name = word(next) else { break }
                path.parts.append(Path.Part(name: name, range: tokens[next].range))
                index = next + 1
            }
            path.isCall = isSymbol(.openParenthesis, index)
            paths.append(path)
        }
    }

    static let keywords: Set = ["true", "false", "null", "in"]
}
