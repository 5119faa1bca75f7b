public import Diagnostics

/// What C headers declare, as the preprocessor leaves them: finds functions, and the types that they need.
///
/// Everything that compilers and system headers put around declarations is read over; what cannot cross the border is
/// refused when a function asks for it, with the reason that `CDeclarations` gives.
public struct CHeader: Sendable {
    /// Why a function cannot be declared for a manifest.
    public struct Refusal: Error, Sendable {
        /// What is wrong.
        public let code: DiagnosticCode
        /// One sentence: lower case, no full stop, names in backticks.
        public let message: String
        /// The declaration at fault; empty when there is none.
        public let declaration: String
        /// What to do.
        public let help: [String]
    }

    /// Functions declared for a manifest.
    public struct Excerpt: Sendable {
        /// The declarations: types in the header's order, then the functions in the order asked for. `CDeclarations`
        /// reads them without a fault.
        public let text: String
        /// The structures that are declared by name only, and why their members cannot be read.
        public let opaque: [(name: String, reason: String)]
        /// The functions that are not in the text, in the order asked for.
        public let refused: [(function: String, refusal: Refusal)]
    }

    let items: [CHeaderItem]
    /// The item that declares each name.
    private(set) var functions: [String: Int] = [:]
    private(set) var typedefs: [String: Int] = [:]
    /// By keyword and name: `struct tm`.
    private(set) var tags: [String: Int] = [:]
    private(set) var constants: [String: Int] = [:]

    /// Reads what the preprocessor printed, without line markers. Never fails: what is no declaration is left out.
    public init(preprocessed text: String) {
        items = CHeaderItem.items(of: CLexer(text).tokens)
        for (index, item) in items.enumerated() {
            for name in item.functions where functions[name] == nil { functions[name] = index }
            for name in item.typedefs where typedefs[name] == nil { typedefs[name] = index }
            for tag in item.tags where tags[tag] == nil { tags[tag] = index }
            for name in item.constants where constants[name] == nil { constants[name] = index }
        }
    }

    /// Whether the headers declare a function of that name, in any way.
    public func declares(_ function: String) -> Bool { functions[function] != nil }

    /// The declarations of functions, each name once, with what they need.
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
            // A structure that only pointers refer to may keep its members to itself.
            if let structure = structure(of: found.item, among: types.subtracting(opaque.keys)) {
                opaque[structure] = found.fault.message
            } else if let first {
                throw Refusal(
                    code: first.fault.code, message: "`\(name)`: \(first.fault.message)",
                    declaration: text(of: first.item, isOpaque: false).collapsed, help: first.fault.help)
            }
        }
    }

    /// The structure that is at fault with an item: itself, or one that has a member of that type.
    private func structure(of item: Int, among types: Set<Int>) -> Int? {
        let structures = types.sorted().filter { items[$0].isStructure }
        return structures.contains(item)
            ? item : structures.first { needs(of: $0, isFunction: false).contains(item) }
    }

    /// Refuses what no library has under this name.
    private func checkSymbol(of function: Int, _ name: String) throws(Refusal) {
        let item = items[function]
        if item.isStatic {
            throw Refusal(
                code: .noSymbol,
                message: "`\(name)` is static: it becomes part of who includes it, and no library has it",
                declaration: text(of: function, isOpaque: false).collapsed,
                help: ["wrap it in a C function of a library of your own"])
        }
        if let symbol = item.symbol, symbol != name {
            throw Refusal(
                code: .noSymbol, message: "`\(name)` stands for the symbol `\(symbol)` in this header",
                declaration: text(of: function, isOpaque: false).collapsed,
                help: ["declare the function that you mean by hand"])
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
                TextFault(.declarationSyntax, "its declaration is not understood", at: 0..<text.utf8.count),
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
    /// Those whose members are left out, and why.
    let opaque: [Int: String]
}

extension String {
    /// On one line, and not too long.
    fileprivate var collapsed: String {
        let line = split { $0.isWhitespace }.joined(separator: " ")
        return line.count > 200 ? "\(line.prefix(200))…" : line
    }
}
