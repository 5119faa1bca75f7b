import Expressions
import Interfaces
import Manifest
import Records

/// What a name or a key at a place means, as Markdown.
struct HoverAnswer {
    private let asked: AskedPlace
    private var text = ""
    private var range = 0..<0

    init(_ asked: AskedPlace) {
        self.asked = asked
        let file = asked.file
        if let mention = file.index.mention(at: asked.offset) {
            range = mention.range
            let use = project.use(ofKey: mention, in: file)
            let node = file.index.nodes[mention.node]
            text = use.map { describe($0) } ?? node.place?.field.map { $0.markdown(called: node.key) } ?? ""
        } else if let node = file.index.scalar(at: asked.offset), let literal = file.index.string(of: node) {
            readValue(of: node, literal)
        }
    }

    /// Null for a place without a name.
    var value: Value {
        guard !text.isEmpty else { return .null }
        return .record([
            ("contents", .record([("kind", .string("markdown")), ("value", .string(text))])),
            ("range", asked.file.lines.range(range)),
        ])
    }

    private var project: Project { asked.project }

    private mutating func readValue(of node: Int, _ literal: StringLiteral) {
        let (file, path) = (asked.file, asked.file.index.path(of: node))
        let place = file.index.nodes[node].place
        if place?.isExpression == true {
            readExpression(literal, at: path)
        } else if place?.isFunction == true {
            range = file.index.nodes[node].value
            let parts = literal.text.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, let effect = project.model?.effect(parts[1], of: parts[0]) else { return }
            text = Self.code(effect.function.text, "c") + effect.doc
        }
        guard text.isEmpty, let use = project.use(at: asked.offset, in: file) else { return }
        range = use.range
        text = describe(use)
    }

    private mutating func readExpression(_ literal: StringLiteral, at path: [String]) {
        let outline = ExpressionOutline(literal.text)
        let offset = literal.contentOffset(of: asked.offset)
        for used in outline.paths {
            guard
                let index = used.parts.firstIndex(where: {
                    $0.range.lowerBound <= offset && offset <= $0.range.upperBound
                })
            else { continue }
            range = literal.range(used.parts[index].range)
            if used.isCall, index == used.parts.count - 1 { return text = describe(callOf: used) }
            guard let scope = project.scope(at: path, in: asked.file),
                let type = outline.typeName(of: used, upTo: index, in: scope)
            else { return }
            let name = used.parts[...index].map(\.name).joined(separator: ".")
            text = Self.code("\(name): \(type)")
            return
        }
    }

    /// The function of a call: that of a namespace, such as `math.ceil`, or a method, or a function.
    private func describe(callOf path: ExpressionOutline.Path) -> String {
        let names = path.parts.map(\.name)
        let full = names.joined(separator: ".")
        let found =
            FunctionDescription.named(full, isMethod: false)
            ?? (names.count > 1 ? FunctionDescription.named(names[names.count - 1], isMethod: true) : nil)
        return found.map { Self.code($0.signatures.joined(separator: "\n")) + $0.doc } ?? ""
    }

    private func describe(_ use: NameUse) -> String {
        use.names.compactMap { name in
            project.declarations(of: name).first.map { declaration in
                "\(name.kind.rawValue) `\(name.name)`\n\n" + Self.code(declaration.text, "toml")
            }
        }.joined(separator: "\n")
    }

    private static func code(_ text: String, _ language: String = "") -> String {
        "```\(language)\n\(text)\n```\n\n"
    }
}

extension Project.Declaration {
    /// The lines of the declaration, at most twelve.
    fileprivate var text: String {
        let node = file.index.nodes[node]
        let lines = file.index.text(node.extent).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix(12).joined(separator: "\n") + (lines.count > 12 ? "\n…" : "")
    }
}

extension ManifestField {
    /// Its purpose and its default.
    var markdown: String { doc + (defaultValue.isEmpty ? "" : "\n\nDefault: \(defaultValue)") }

    func markdown(called name: String) -> String { "**`\(name)`**: \(form.words)\n\n\(markdown)" }
}
