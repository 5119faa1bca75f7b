/// Reads the layout of a TOML text that toml++ accepts.
struct TOMLLayoutReader {
    private var lexer: TOMLLexer
    private var token: TOMLToken?
    private var depth = 0
    // The first one outside of strings.
    private var newline: ArraySlice<UInt8>?
    // Where the line of the last key or header ends.
    private var codeEnd: Int?

    /// - Throws: if it cannot read the text. It accepts some texts that are not TOML.
    static func read(_ bytes: [UInt8]) throws(TOMLLexer.Unreadable) -> TOMLLayout {
        var reader = TOMLLayoutReader(lexer: TOMLLexer(bytes))
        try reader.advance()
        let sections = try reader.readSections()
        return TOMLLayout(sections: sections, hasCarriageReturns: (reader.newline?.count ?? 1) > 1)
    }

    /// How many of these comments, from the first one on, are keys and headers that someone commented out.
    static func countOfCode(in comments: [ArraySlice<UInt8>]) -> Int {
        let bytes = [UInt8](comments.map { $0.dropFirst() }.joined(separator: "\n".utf8))
        var reader = TOMLLayoutReader(lexer: TOMLLexer(bytes))
        do throws(TOMLLexer.Unreadable) {
            try reader.advance()
            _ = try reader.readSections()
        } catch {
            // The rest is text.
        }
        return reader.codeEnd.map { bytes.prefix($0).count { $0 == UInt8(ascii: "\n") } + 1 } ?? 0
    }

    private init(lexer: TOMLLexer) { self.lexer = lexer }

    private mutating func advance() throws(TOMLLexer.Unreadable) {
        token = try lexer.next()
        if newline == nil, let token, token.kind == .newline { newline = token.text }
    }

    private mutating func readSections() throws(TOMLLexer.Unreadable) -> [TOMLLayout.Section] {
        var (done, section): ([TOMLLayout.Section], TOMLLayout.Section) = ([], TOMLLayout.Section())
        while let next = token {
            switch next.kind {
            case .newline: section.items.append(.blank)
            case .comment:
                section.items.append(.comment(next.text))
                try advance()
            case .openBracket:
                var above: [ArraySlice<UInt8>] = []
                while case .comment(let text) = section.items.last, !TOMLLayout.isDirective(text) {
                    above.append(text)
                    section.items.removeLast()
                }
                done += section.separatingTitle
                section = TOMLLayout.Section(above: above.reversed(), header: try readHeader())
            default:
                let (key, value) = try readEntry()
                section.items.append(.entry(key: key, value, comment: try readComment()))
            }
            guard token == nil || token?.kind == .newline else { throw TOMLLexer.Unreadable() }
            if next.kind != .newline, next.kind != .comment { codeEnd = token?.text.startIndex ?? .max }
            try advance()
        }
        return done + section.separatingTitle
    }

    /// The comment at the end of the line; nil without one.
    private mutating func readComment() throws(TOMLLexer.Unreadable) -> ArraySlice<UInt8>? {
        guard let token, token.kind == .comment else { return nil }
        try advance()
        return token.text
    }

    private mutating func readHeader() throws(TOMLLexer.Unreadable) -> TOMLLayout.Section.Header {
        var brackets = 0
        while token?.kind == .openBracket {
            brackets += 1
            try advance()
        }
        let first = token
        let key = try readKey()
        for _ in 0..<brackets {
            guard token?.kind == .closeBracket else { throw TOMLLexer.Unreadable() }
            try advance()
        }
        let (open, close) = (UInt8(ascii: "["), UInt8(ascii: "]"))
        let text =
            [UInt8](repeating: open, count: brackets) + key + [UInt8](repeating: close, count: brackets)
        return TOMLLayout.Section.Header(text: text, root: Self.root(first), comment: try readComment())
    }

    private static func root(_ token: TOMLToken?) -> String {
        guard let token else { return "" }
        let part =
            token.kind == .string
            ? token.text.dropFirst().dropLast() : token.text.prefix { $0 != UInt8(ascii: ".") }
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func readKey() throws(TOMLLexer.Unreadable) -> [UInt8] {
        var key: [UInt8] = []
        let dot = UInt8(ascii: ".")
        while let next = token, next.kind == .word || next.kind == .string {
            guard key.isEmpty || key.last == dot || next.text.first == dot else {
                throw TOMLLexer.Unreadable()
            }
            key += next.text
            try advance()
        }
        guard !key.isEmpty else { throw TOMLLexer.Unreadable() }
        return key
    }

    private mutating func readEntry() throws(TOMLLexer.Unreadable) -> (key: [UInt8], value: TOMLLayout.Value)
    {
        let key = try readKey()
        guard token?.kind == .equals else { throw TOMLLexer.Unreadable() }
        try advance()
        return (key, try readValue())
    }

    private mutating func readValue() throws(TOMLLexer.Unreadable) -> TOMLLayout.Value {
        // toml++ refuses values that nest more than 64 deep.
        guard let first = token, depth <= 64 else { throw TOMLLexer.Unreadable() }
        depth += 1
        defer { depth -= 1 }
        try advance()
        switch first.kind {
        case .string: return .plain(first.text)
        case .word:
            // A date and a time may have a space between them.
            var text = first.text
            while let next = token, next.kind == .word {
                text += " ".utf8 + next.text
                try advance()
            }
            return .plain(text)
        case .openBrace: return .table(try readTable())
        case .openBracket: return .array(try readArray())
        default: throw TOMLLexer.Unreadable()
        }
    }

    private mutating func readTable() throws(TOMLLexer.Unreadable) -> [(
        key: [UInt8], value: TOMLLayout.Value
    )] {
        var entries: [(key: [UInt8], value: TOMLLayout.Value)] = []
        while token?.kind != .closeBrace {
            entries.append(try readEntry())
            guard token?.kind == .comma else { break }
            try advance()
        }
        guard token?.kind == .closeBrace else { throw TOMLLexer.Unreadable() }
        try advance()
        return entries
    }

    private mutating func readArray() throws(TOMLLexer.Unreadable) -> TOMLLayout.Elements {
        var (array, line) = (TOMLLayout.Elements(), TOMLLayout.Elements.Line())
        // Whether the line of the text has a bracket, a comma or a value.
        var hasToken = true
        func endLine() {
            if !line.isBlank || !hasToken && array.lines.last?.isBlank == false { array.lines.append(line) }
            (line, hasToken) = (TOMLLayout.Elements.Line(), false)
        }
        while let next = token, next.kind != .closeBracket {
            switch next.kind {
            case .newline:
                array.hasLines = true
                endLine()
            case .comment where !array.hasLines && line.values.isEmpty: array.opening = next.text
            case .comment: line.comment = next.text
            // The printer writes it directly after its value.
            case .comma: hasToken = true
            default:
                line.values.append(try readValue())
                hasToken = true
                continue
            }
            try advance()
        }
        guard token != nil else { throw TOMLLexer.Unreadable() }
        try advance()
        hasToken = true
        endLine()
        if array.lines.last?.isBlank == true { array.lines.removeLast() }
        if array.lines.isEmpty && array.opening == nil { array.hasLines = false }
        return array
    }
}
