public import Diagnostics

/// The declarations of preprocessed C headers. It finds functions, and the types that they need.
///
/// It skips what compilers and system headers add to declarations. It refuses a function that needs an
/// unsupported type, with the reason that `CDeclarations` gives.
public struct CHeader: Sendable {
    /// The reason why a function cannot be declared for a manifest.
    public struct Refusal: Error, Sendable {
        /// The kind of fault.
        public let code: DiagnosticCode
        /// One sentence: lower case, no full stop, names in backticks.
        public let message: String
        /// The faulty declaration; empty if there is none.
        public let declaration: String
        /// What to do, one line each.
        public let help: [String]
    }

    /// Functions declared for a manifest.
    public struct Excerpt: Sendable {
        /// The declarations: types in the header's order, then the functions in the requested order.
        /// `CDeclarations` reads them without a fault.
        public let text: String
        /// The structures that are declared by name only, and why their members cannot be read.
        public let opaque: [(name: String, reason: String)]
        /// The functions that are not in the text, in the requested order.
        public let refused: [(function: String, refusal: Refusal)]
    }

    let items: [CHeaderItem]
    /// The item that declares each name.
    private(set) var functions: [String: Int] = [:]
    private(set) var typedefs: [String: Int] = [:]
    /// By keyword and name: `struct tm`.
    private(set) var tags: [String: Int] = [:]
    private(set) var constants: [String: Int] = [:]

    /// Reads the output of the preprocessor, without line markers. It never fails, and skips anything else
    /// than declarations.
    public init(preprocessed text: String) {
        items = CHeaderItem.items(of: CLexer(text).tokens)
        for (index, item) in items.enumerated() {
            for name in item.functions where functions[name] == nil { functions[name] = index }
            for name in item.typedefs where typedefs[name] == nil { typedefs[name] = index }
            for tag in item.tags where tags[tag] == nil { tags[tag] = index }
            for name in item.constants where constants[name] == nil { constants[name] = index }
        }
    }

    /// Whether the headers declare a function of that name, also if it cannot be declared for a manifest.
    public func declares(_ function: String) -> Bool { functions[function] != nil }

    /// The declarations of functions, each name once, with the types that they need.
    public func excerpt(of names: [String]) -> Excerpt {
        var parts: [CHeaderPart] = []
        var refused: [(function: String, refusal: Refusal)] = []
        for name in names {
            do throws(Refusal) { parts.append(try part(of: name)) } catch { refused.append((name, error)) }
        }
        let types = Set(parts.flatMap(\.types)).sorted()
        let reasons = parts.reduce(into: [:]) { $0.merge($1.opaque) { first, _ in first } }
        var seen: Set<Int> = []
        let functions = parts.map(\.function).filter { seen.insert($0).inserted }
        let text = (types + functions).map { self.text(of: $0, isOpaque: reasons[$0] != nil) }.joined()
        return Excerpt(
            text: text,
            opaque: types.compactMap { index in reasons[index].map { (items[index].structureName, $0) } },
            refused: refused)
    }

    private func part(of name: String) throws(Refusal) -> CHeaderPart {
        guard let function = functions[name] else {
            throw Refusal(
                code: .unknownFunction, message: "there is no function `\(name)`", declaration: "",
                help: Suggestion.closest(to: name, among: functions.keys.sorted()).map {
                    ["did you mean `\($0)`?"]
                } ?? [])
        }
        try checkSymbol(of: function, name)
        var opaque: [Int: String] = [:]
        var first: (fault: TextFault, item: Int)?
        while true {
            let types = needed(by: function, opaque: Set(opaque.keys))
            guard let found = fault(in: types, function, name, opaque: Set(opaque.keys)) else {
                return CHeaderPart(
                    function: function, types: types.subtracting(standardTypedefs),
                    opaque: opaque.filter { types.contains($0.key) })
            }
            first = first ?? found
            // If only pointers refer to the structure, it can be declared without its members.
            if let structure = structure(of: found.item, among: types.subtracting(opaque.keys)) {
                opaque[structure] = found.fault.message
            } else if let first {
                throw Refusal(
                    code: first.fault.code, message: "`\(name)`: \(first.fault.message)",
                    declaration: text(of: first.item, isOpaque: false).collapsed, help: first.fault.help)
            }
        }
    }

    /// The structure that contains a faulty item: the item itself, or a structure with a member of that type.
    private func structure(of item: Int, among types: Set<Int>) -> Int? {
        let structures = types.sorted().filter { items[$0].isStructure }
        return structures.contains(item)
            ? item : structures.first { needs(of: $0, isFunction: false).contains(item) }
    }

    /// Refuses a function that no library exports under this name.
    private func checkSymbol(of function: Int, _ name: String) throws(Refusal) {
        let item = items[function]
        if item.isStatic {
            throw Refusal(
                code: .noSymbol,
                message: "`\(name)` is static: each file that includes it has a copy, no library exports it",
                declaration: text(of: function, isOpaque: false).collapsed,
                help: ["wrap it in a C function of your own library"])
        }
        if let symbol = item.symbol, symbol != name {
            throw Refusal(
                code: .noSymbol, message: "in this header, `\(name)` is the symbol `\(symbol)`",
                declaration: text(of: function, isOpaque: false).collapsed,
                help: ["declare `\(symbol)` by hand, or the function that you mean"])
        }
    }

    /// The first fault of a function with the types that it needs.
    private func fault(
        in types: Set<Int>, _ function: Int, _ name: String, opaque: Set<Int>
    ) -> (fault: TextFault, item: Int)? {
        var text = ""
        var ends: [(item: Int, end: Int)] = []
        for index in types.sorted() + [function] {
            text += self.text(of: index, isOpaque: opaque.contains(index))
            ends.append((index, text.utf8.count))
        }
        let declarations = CDeclarations(parsing: text)
        guard let fault = declarations.faults.first else {
            guard declarations.function(name) == nil else { return nil }
            return (
                TextFault(.declarationSyntax, "its declaration cannot be parsed", at: 0..<text.utf8.count),
                function
            )
        }
        return (fault, ends.first { fault.range.lowerBound < $0.end }?.item ?? function)
    }
}

/// One function of an excerpt.
struct CHeaderPart {
    let function: Int
    /// The items of the types that it needs.
    let types: Set<Int>
    /// The types that are written without their members, with the reason.
    let opaque: [Int: String]
}

extension String {
    /// The text on one line, cut after 200 characters.
    fileprivate var collapsed: String {
        let line = split { $0.isWhitespace }.joined(separator: " ")
        return line.count > 200 ? "\(line.prefix(200))…" : line
    }
}
