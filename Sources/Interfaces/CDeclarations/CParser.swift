import Diagnostics

/// A recursive-descent parser for declarations, with one token of look-ahead.
struct CParser {
    /// The reason why the parser gave up a declaration.
    enum Failure: Error {
        case fault(TextFault)
        /// It uses a declaration that was refused before. The first fault is enough, so this one is not
        /// reported.
        case consequence
    }

    /// The meaning of a tag.
    enum Tag {
        case structure(CStructure)
        case enumeration(CEnumeration)
    }

    enum Limit {
        static let text = 1 << 20
        static let faults = 64
        /// The nesting of structures, parentheses and types.
        static let nesting = 24
        static let structureSize = 1 << 16
        /// The number that every C compiler must accept.
        static let parameters = 127
    }

    let tokens: [CToken]
    var position = 0
    var nesting = 0

    private(set) var faults: [TextFault]
    var functions: [CFunction] = []
    var structures: [CStructure] = []
    var enumerations: [CEnumeration] = []
    var declaredTypedefs: [CTypedef] = []
    /// Functions whose declarations have a fault.
    private(set) var refused: Set<String> = []

    var typedefs = CStandardTypes.typedefs
    var tags: [String: Tag] = [:]
    var constants: [String: Int64] = [:]
    var functionIndices: [String: Int] = [:]
    /// Words in refused declarations that may be names of types.
    private(set) var poisoned: Set<String> = []

    private let endsImplicitly: Bool

    /// A parser for a text. With `endsImplicitly`, the last `;` is optional.
    init(_ text: String, endsImplicitly: Bool) {
        self.endsImplicitly = endsImplicitly
        guard text.utf8.count <= Limit.text else {
            let end = CToken(kind: .end, text: "", range: 0..<0)
            tokens = [end]
            faults = [
                TextFault(
                    .declarationLimit,
                    "the declarations have \(text.utf8.count) bytes, but at most \(Limit.text) are supported",
                    at: 0..<0, help: ["keep only the functions that are used and their types"])
            ]
            return
        }
        let lexer = CLexer(text)
        (tokens, faults) = (lexer.tokens, lexer.faults)
    }

    /// Parses the whole text.
    mutating func parse() {
        while current.kind != .end, faults.count < Limit.faults {
            let start = position
            do throws(Failure) { try declaration() } catch { giveUp(error, from: start) }
        }
        if current.kind != .end || faults.count > Limit.faults {
            faults = Array(faults.prefix(Limit.faults))
            faults.append(
                TextFault(
                    .declarationLimit, "too many faults: the rest was not read", at: current.range,
                    help: ["this may not be C"]))
        }
        faults = faults.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }.map(\.element)
        functions = functions.map { function in
            CFunction(
                name: function.name, result: completed(function.result),
                parameters: function.parameters.map {
                    CParameter(name: $0.name, type: completed($0.type), text: $0.text)
                }, range: function.range, text: function.text)
        }
    }

    /// Replaces an incomplete structure in a type by its definition, if the text has defined it meanwhile.
    func completed(_ type: CType) -> CType {
        switch type {
        case .pointer(let pointer):
            return .pointer(pointer.pointing(to: completed(pointer.pointee)))
        case .incomplete(let name):
            if case .structure(let found) = tags[name] { return .structure(found) }
            return type
        case .function(let function): return .function(function.mapped(completed))
        default: return type
        }
    }

    // MARK: Tokens

    var current: CToken { tokens[position] }
    var next: CToken { tokens[min(position + 1, tokens.count - 1)] }
    /// The end of the last token that was read, as a UTF-8 offset.
    var end: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    mutating func advance() { position = min(position + 1, tokens.count - 1) }

    func at(_ sign: String) -> Bool { current.kind == .punctuation && current.text == sign }
    func at(word: String) -> Bool { current.kind == .word && current.text == word }

    /// Reads a sign; false if another token is next.
    mutating func take(_ sign: String) -> Bool {
        guard at(sign) else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: String) throws(Failure) {
        guard take(sign) else { throw expected("`\(sign)`") }
    }

    /// Reads the end of a declaration.
    mutating func expectEnd() throws(Failure) {
        if endsImplicitly, current.kind == .end { return }
        try expectSemicolon()
    }

    /// Reads a `;`. If it is missing, the fault points to the end of the last token.
    mutating func expectSemicolon() throws(Failure) {
        guard !take(";") else { return }
        guard !isExtension, current.kind != .unknown else { throw expected("`;`") }
        throw fault(
            .declarationSyntax, "expected `;`, found \(current.shown)", at: max(0, end - 1)..<end)
    }

    /// True for a word of a compiler extension, which may stand anywhere.
    var isExtension: Bool {
        current.kind == .word
            && (["__attribute__", "__attribute", "__declspec", "_Alignas", "asm"].contains(current.text)
                || current.text.hasPrefix("__asm"))
    }

    /// The fault of an unexpected token.
    func expected(_ what: String, help: [String] = []) -> Failure {
        if current.kind == .unknown {
            return fault(
                .strayCharacter, "\(current.shown) is not allowed in a declaration",
                label: "expected \(what)")
        }
        guard !isExtension else { return refusedExtension() }
        return fault(.declarationSyntax, "expected \(what), found \(current.shown)", help: help)
    }

    func refusedExtension() -> Failure {
        fault(
            .compilerExtension, "\(current.shown) is an extension that may change a layout or a call",
            help: ["remove it if it only advises the compiler"])
    }

    /// A fault at a range, the current token by default.
    func fault(
        _ code: DiagnosticCode, _ message: String, at range: Range<Int>? = nil, label: String = "",
        help: [String] = []
    ) -> Failure {
        .fault(TextFault(code, message, at: range ?? current.range, label: label, help: help))
    }

    /// The source between two tokens, with a space for white space and comments.
    func text(from first: Int, to last: Int) -> String {
        var text = ""
        for index in first..<last {
            let gap = index > first && tokens[index - 1].range.upperBound < tokens[index].range.lowerBound
            text += (gap ? " " : "") + tokens[index].text
        }
        return text
    }

    // MARK: Recovery

    /// Records the fault of the declaration that starts at `start`, and skips to the next declaration.
    private mutating func giveUp(_ failure: Failure, from start: Int) {
        note(failure)
        let reached = max(position, start + 1)
        position = start
        var depth = 0
        while current.kind != .end {
            if at("{") { depth += 1 }
            if at("}") { depth -= 1 }
            let isLast = at(";") && depth <= 0 || depth < 0
            advance()
            if isLast, position >= reached { break }
            depth = max(depth, 0)
        }
        poison(start..<position)
    }

    /// Adds the fault, unless it is only the consequence of another one.
    mutating func note(_ failure: Failure) {
        if case .fault(let fault) = failure { faults.append(fault) }
    }

    /// Records the names of functions and types that a refused declaration may declare.
    mutating func poison(_ range: Range<Int>) {
        for index in range where tokens[index].kind == .word {
            let word = tokens[index].text
            guard !Self.keywords.contains(word) else { continue }
            let follower = tokens[min(index + 1, tokens.count - 1)]
            if follower.kind == .punctuation, follower.text == "(" { refused.insert(word) }
            if typedefs[word] == nil { poisoned.insert(word) }
        }
    }

    /// The words that are never names.
    static let keywords: Set<String> = [
        "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
        "short",
        "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
        "while",
        "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",
        "_Static_assert", "_Thread_local", "__attribute__", "__extension__", "__inline", "__restrict",
        "__const",
        "__volatile__", "__asm__",
    ]
}
