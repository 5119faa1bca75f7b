/// One declaration of a preprocessed header.
struct CHeaderItem: Sendable {
    /// The tokens up to `;`, without storage words, without attributes that only advise the compiler, and
    /// without a function's body.
    let tokens: [CToken]
    /// True for a `static` declaration, which no library exports.
    let isStatic: Bool
    /// The symbol that `__asm__` gives a function; nil if the symbol is the function's name.
    let symbol: String?
    private(set) var functions: [String] = []
    private(set) var typedefs: [String] = []
    /// The structures, unions and enumerations that it defines: `struct tm`.
    private(set) var tags: [String] = []
    private(set) var constants: [String] = []

    /// True for a structure's definition, with or without a typedef.
    var isStructure: Bool { tokens.contains { $0.text == "{" } && tokens.contains { $0.text == "struct" } }

    /// The name of a structure.
    var structureName: String { typedefs.first ?? tags.first ?? "struct" }

    /// The declarations in the tokens of a file.
    static func items(of tokens: [CToken]) -> [CHeaderItem] {
        let tokens = Self.withoutAdvice(tokens)
        var items: [CHeaderItem] = []
        var (start, depth) = (0, 0)
        // The start of a function's body.
        var body: Int?
        for (index, token) in tokens.enumerated() where token.kind == .punctuation {
            switch token.text {
            case "{":
                if depth == 0, isBody(at: index, in: tokens[start...]) { body = index }
                depth += 1
            case "(", "[": depth += 1
            case ")", "]", "}": depth = max(0, depth - 1)
            default: break
            }
            guard depth == 0, token.text == ";" || token.text == "}" && body != nil else { continue }
            let end = CToken(kind: .punctuation, text: ";", range: token.range)
            items.append(CHeaderItem(Array(tokens[start..<(body ?? index)]) + [end]))
            (start, body) = (index + 1, nil)
        }
        return items
    }

    private init(_ tokens: [CToken]) {
        let (labelled, symbol) = Self.withoutLabel(tokens)
        self.symbol = symbol
        isStatic = labelled.contains { $0.text == "static" }
        self.tokens = labelled.filter { !Self.storage.contains($0.text) }
        findTags()
        findNames()
    }

    // MARK: Tokens that are skipped

    static let storage: Set<String> = [
        "extern", "static", "inline", "__inline", "__inline__", "register", "auto", "_Noreturn",
        "__extension__",
    ]

    /// The attributes that change a layout or a call; others only advise the compiler.
    private static let binding: Set<String> = [
        "aligned", "packed", "mode", "vector_size", "transparent_union", "scalar_storage_order", "ms_struct",
        "gcc_struct", "ms_abi", "sysv_abi", "regparm", "stdcall", "fastcall", "thiscall", "vectorcall",
        "regcall",
        "pcs", "address_space", "ext_vector_type", "alias", "ifunc",
    ]

    private static let spellings: [String: String] = [
        "__restrict": "restrict", "__restrict__": "restrict", "__const": "const", "__const__": "const",
        "__volatile": "volatile", "__volatile__": "volatile", "__signed__": "signed", "__signed": "signed",
        "_Bool": "bool",
    ]

    private static func withoutAdvice(_ tokens: [CToken]) -> [CToken] {
        var kept: [CToken] = []
        var index = 0
        while index < tokens.count, tokens[index].kind != .end {
            let token = tokens[index]
            let end = isAttribute(token) ? self.end(ofGroupAt: index + 1, in: tokens) : nil
            if let end, !tokens[index..<end].contains(where: { binding.contains($0.text.plain) }) {
                index = end
                continue
            }
            let text = spellings[token.text] ?? token.text
            kept.append(CToken(kind: token.kind, text: text, range: token.range))
            index += 1
        }
        return kept
    }

    static func isAttribute(_ token: CToken) -> Bool {
        token.text == "__attribute__" || token.text == "__attribute"
    }

    /// The index after the parentheses that open at `index`; nil if none open there.
    private static func end(ofGroupAt index: Int, in tokens: [CToken]) -> Int? {
        guard index < tokens.count, tokens[index].text == "(" else { return nil }
        var depth = 0
        for next in index..<tokens.count where tokens[next].kind == .punctuation {
            if tokens[next].text == "(" { depth += 1 }
            if tokens[next].text == ")" { depth -= 1 }
            if depth == 0 { return next + 1 }
        }
        return nil
    }

    /// The tokens without `__asm__ ("symbol")`, and the symbol.
    private static func withoutLabel(_ tokens: [CToken]) -> ([CToken], String?) {
        guard let start = tokens.firstIndex(where: { ["asm", "__asm", "__asm__"].contains($0.text) }),
            let end = end(ofGroupAt: start + 1, in: tokens)
        else { return (tokens, nil) }
        let symbol = tokens[start..<end].filter { $0.kind == .literal }.map { $0.text.dropFirst().dropLast() }
        return (Array(tokens[..<start] + tokens[end...]), symbol.joined())
    }

    /// Whether the `{` at an index opens the body of a function, not members or constants.
    private static func isBody(at index: Int, in item: ArraySlice<CToken>) -> Bool {
        let before = item[..<index].last { $0.kind != .word || !CParser.keywords.contains($0.text) }
        guard before?.text == ")" else { return false }
        // `struct __attribute__((packed)) {` has a `)` before its `{` too.
        return !item[..<index].contains(where: isAttribute)
            || !["struct", "union", "enum"].contains(item.first?.text)
    }

    // MARK: Names that it declares

    private mutating func findTags() {
        for (index, token) in tokens.enumerated() where ["struct", "union", "enum"].contains(token.text) {
            var open = index + 1
            var name: String?
            while open < tokens.count, tokens[open].text != "{" {
                if Self.isAttribute(tokens[open]), let end = Self.end(ofGroupAt: open + 1, in: tokens) {
                    open = end
                } else if tokens[open].isName, name == nil {
                    name = tokens[open].text
                    open += 1
                } else {
                    break
                }
            }
            guard open < tokens.count, tokens[open].text == "{" else { continue }
            if let name { tags.append("\(token.text) \(name)") }
            if token.text == "enum" { findConstants(from: open) }
        }
    }

    private mutating func findConstants(from open: Int) {
        var depth = 0
        for index in open..<tokens.count {
            let token = tokens[index]
            if ["{", "("].contains(token.text) { depth += 1 }
            if ["}", ")"].contains(token.text) { depth -= 1 }
            if depth == 0 { return }
            if depth == 1, token.kind == .word, ["{", ","].contains(tokens[index - 1].text) {
                constants.append(token.text)
            }
        }
    }

    private mutating func findNames() {
        let isTypedef = tokens.contains { $0.text == "typedef" }
        var depth = 0
        for (index, token) in tokens.dropLast().enumerated() {
            let next = tokens[index + 1].text
            if depth == 0, token.isName {
                let isTag = index > 0 && ["struct", "union", "enum"].contains(tokens[index - 1].text)
                let isPointer =
                    next == "(" && ["*", "^"].contains(tokens[min(index + 2, tokens.count - 1)].text)
                if isTypedef, !isTag,
                    [",", ";", "[", "("].contains(next) || Self.isAttribute(tokens[index + 1]),
                    !isPointer
                {
                    typedefs.append(token.text)
                } else if !isTypedef, next == "(", !isPointer {
                    functions.append(token.text)
                }
            } else if depth == 0, token.text == "(", next == "*" {
                findPointer(at: index + 1, isTypedef: isTypedef)
            }
            if ["(", "[", "{"].contains(token.text) { depth += 1 }
            if [")", "]", "}"].contains(token.text) { depth -= 1 }
        }
    }

    /// `(*name)` of a function pointer, or `(*name(…))` of a function that returns one.
    private mutating func findPointer(at star: Int, isTypedef: Bool) {
        guard let index = tokens[star...].firstIndex(where: \.isName) else { return }
        if isTypedef {
            typedefs.append(tokens[index].text)
        } else if tokens[min(index + 1, tokens.count - 1)].text == "(" {
            functions.append(tokens[index].text)
        }
    }
}

extension CToken {
    /// True for a word that may be a name.
    var isName: Bool { kind == .word && !CParser.keywords.contains(text) && !CHeaderItem.isAttribute(self) }
}

extension String {
    /// The word without the underscores around it: `packed` for `__packed__`.
    fileprivate var plain: String {
        let start = drop { $0 == "_" }
        return String(
            start.prefix(upTo: start.lastIndex { $0 != "_" }.map(start.index(after:)) ?? start.startIndex))
    }
}
