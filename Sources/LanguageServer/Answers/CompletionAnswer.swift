import Expressions
import Interfaces
import Manifest
import Records

/// The names that can be written at a place of a manifest.
struct CompletionAnswer {
    private let asked: AskedPlace
    // The text up to the place, from the header before it.
    private let before: ManifestIndex
    private var items: [CompletionItem] = []
    private var range = 0..<0

    init(_ asked: AskedPlace) {
        self.asked = asked
        before = ManifestIndex(
            Array(asked.file.lines.bytes[..<asked.offset]), from: asked.file.index.start(before: asked.offset)
        )
        range = asked.offset..<asked.offset
        switch before.place {
        case .key(let table, let written):
            range = written
            addKeys(of: table) { _ in true }
        case .header(let table, let written, let brackets):
            range = written
            addKeys(of: table) { field in
                brackets == 2 ? field.form.takesArraysOfTables : field.form.takesTables
            }
        case .value(let node, let written):
            range = written
            addValues(of: node)
        case nil: break
        }
    }

    var value: Value {
        let range = asked.file.lines.range(range)
        return .list(items.map { $0.value(replacing: range) })
    }

    private var project: Project { asked.project }

    // MARK: Keys

    private mutating func addKeys(of table: Int, _ isAllowed: (ManifestField) -> Bool) {
        guard let place = before.nodes[table].place else { return }
        let path = before.path(of: table)
        let present = asked.file.index.mention(at: asked.offset).map { asked.file.index.nodes[$0.node].key }
        let used = Set(asked.file.keys(at: path).filter { $0 != present && !mayRepeat($0, at: path) })
        let ending = ending
        for field in place.table?.fields ?? [] where !used.contains(field.name) && isAllowed(field) {
            items.append(
                CompletionItem(
                    field.name, .property, detail: field.form.words, doc: field.markdown,
                    text: field.name + ending))
        }
        if place.hasParameters { addParameters(at: path, used) }
        guard let named = place.key(""), named.field.map(isAllowed) ?? true,
            let name = project.name(ofKey: "", at: named, path + [""], in: asked.file)
        else { return }
        // A part of a word that is being written is not a name.
        let written = before.text(range)
        for key in project.names(beside: name) where !used.contains(key) && (key != written || key != present)
        {
            items.append(
                CompletionItem(
                    key, CompletionItem.Kind(name.kind), detail: name.kind.rawValue, text: key + ending))
        }
    }

    /// Adds the parameters of the effect of a feedback, at the path of its named arguments.
    private mutating func addParameters(at path: [String], _ used: Set<String>) {
        let parts =
            asked.file.string(at: path.dropLast() + ["effect"])?.split(separator: ":", maxSplits: 1) ?? []
        guard parts.count == 2, let effect = project.model?.effect(String(parts[1]), of: String(parts[0]))
        else { return }
        for parameter in effect.function.ownParameters where !used.contains(parameter.name) {
            items.append(
                CompletionItem(
                    parameter.name, .property, detail: parameter.text, text: parameter.name + ending))
        }
    }

    /// Whether a header may name a key that the table has: its value is not written behind a `=`.
    private func mayRepeat(_ key: String, at path: [String]) -> Bool {
        guard case .header? = before.place, let node = asked.file.index.node(at: path + [key]) else {
            return false
        }
        return [.table, .array, .missing].contains(asked.file.index.nodes[node].kind)
    }

    /// What follows a key in a table: ` = ` unless the text has it already, or the key is a part of a header.
    private var ending: String {
        guard case .key? = before.place else { return "" }
        let rest = asked.file.lines.bytes[asked.offset...]
        let next = rest.drop { $0.isOfName || $0 == UInt8(ascii: "-") }.first {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
        }
        return next == UInt8(ascii: "=") || next == UInt8(ascii: ".") ? "" : " = "
    }

    // MARK: Values

    private mutating func addValues(of node: Int) {
        let path = before.path(of: node)
        let literal = before.string(of: node)
        guard let place = before.nodes[node].place else { return addTypes(of: node, literal) }
        if let name = project.name(ofValue: literal?.text ?? "", at: place, path, in: asked.file) {
            for key in project.names(beside: name) {
                add(key, CompletionItem.Kind(name.kind), literal, name.kind.rawValue)
            }
            return
        }
        if place.isFunction { return addEffects(literal) }
        for word in place.field?.form.choices ?? [] { add(word, .member, literal) }
        if literal == nil, place.field?.form.takesBooleans == true {
            items += ["true", "false"].map { CompletionItem($0, .keyword) }
        }
        if place.isExpression, let literal { addNames(of: literal, at: path) }
        addTypes(of: node, literal)
    }

    /// Adds a value that is a string. Outside of quotes it gets some.
    private mutating func add(
        _ text: String, _ kind: CompletionItem.Kind, _ literal: StringLiteral?, _ detail: String = "",
        doc: String = ""
    ) {
        items.append(
            CompletionItem(text, kind, detail: detail, doc: doc, text: literal == nil ? "\"\(text)\"" : nil))
    }

    private mutating func addEffects(_ literal: StringLiteral?) {
        guard let model = project.model else { return }
        for name in [Manifest.standardPluginName] + project.plugins {
            for (effect, doc) in model.effects(of: name) {
                add("\(name):\(effect.name)", .function, literal, effect.text, doc: doc)
            }
        }
    }

    private mutating func addNames(of literal: StringLiteral, at path: [String]) {
        guard let scope = project.scope(at: path, in: asked.file) else { return }
        let choices = ExpressionOutline(literal.text).choices(at: literal.text.utf8.count, in: scope)
        range = literal.range(choices.range)
        items += choices.names.map(CompletionItem.init)
    }

    private mutating func addTypes(of node: Int, _ literal: StringLiteral?) {
        guard before.isType(node) else { return }
        if let literal {
            let word = literal.text.utf8.reversed().prefix(while: \.isOfName).count
            range = literal.range(literal.text.utf8.count - word..<literal.text.utf8.count)
        }
        for name in Manifest.typeNames { add(name, .type, literal) }
        for name in project.names(beside: ManifestName(.type, "")) { add(name, .type, literal, "type") }
    }
}
