import Expressions
import Manifest

extension Project {
    /// The names that an expression uses.
    func expressionUses(_ literal: StringLiteral, at path: [String], in file: ManifestText) -> [NameUse] {
        let outline = ExpressionOutline(literal.text)
        let uses = outline.paths.compactMap { used -> NameUse? in
            guard !used.isVariable else { return nil }
            // The last name of a call is that of a function.
            let parts = used.isCall ? used.parts.dropLast() : used.parts[...]
            guard let first = parts.first else { return nil }
            if let owner = valueOwner(first.name, at: path, in: file) {
                return NameUse([ManifestName(.value, first.name, of: owner)], literal.range(first.range))
            }
            guard let part = parts.dropFirst().first, part.name != "case" else { return nil }
            let names = fields(part.name, of: first.name, at: path, in: file)
            return names.isEmpty ? nil : NameUse(names, literal.range(part.range))
        }
        return uses
            + outline.comparedTexts.compactMap { compared in
                guard let loop = loop(of: path, in: file) else { return nil }
                let kinds: [String: ManifestName.Kind] = ["state.case": .stateCase, "event.case": .event]
                return kinds[compared.operand].map {
                    NameUse([ManifestName($0, compared.text, of: [loop])], literal.range(compared.range))
                }
            }
    }

    /// The names that `state.NAME` and the like stand for.
    private func fields(_ name: String, of root: String, at path: [String], in file: ManifestText)
        -> [ManifestName]
    {
        let loop = loop(of: path, in: file)
        switch (root, loop) {
        case ("config", _): return [ManifestName(.constant, name)]
        case ("state", let loop?): return [ManifestName(.field, name, of: [loop])]
        case ("event", let loop?):
            return events(at: path, in: file).map { ManifestName(.eventField, name, of: [loop, $0]) }
        case ("message", _) where path.count > 4 && path[2] == "receive":
            return [ManifestName(.messageField, name, of: [path[3], path[4]])]
        default: return []
        }
    }

    /// The table whose `let` has a name, for an expression at a path; nil if no `let` around it has the name.
    func valueOwner(_ name: String, at path: [String], in file: ManifestText) -> [String]? {
        guard path.first == "loops" else { return nil }
        for count in stride(from: path.count - 1, through: 2, by: -1) {
            let owner = Array(path.prefix(count))
            // A name of `let` may use those above it, not itself.
            if Array(path.suffix(from: count)) == ["let", name] { continue }
            if file.index.node(at: owner + ["let", name]) != nil { return owner }
        }
        return nil
    }

    /// The names for values that an expression at a path may use.
    func values(at path: [String], in file: ManifestText) -> [String] {
        (2..<max(path.count, 2)).flatMap { file.keys(at: path.prefix($0) + ["let"]) }
    }

    /// The scope of an expression: that of the last check, or of the expression nearest to it.
    func scope(at path: [String], in file: ManifestText) -> Scope? {
        guard let model, let loop = loop(of: path, in: file) else { return nil }
        return model.scopes[path] ?? model.nearestScope(to: path) ?? model.loopScopes[loop]
    }
}
