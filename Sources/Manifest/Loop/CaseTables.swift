import Diagnostics

/// The tables `in.CASE` of a loop: what happens in a case, in one place.
///
/// They are another way to write `from`, `after.CASE` and `in`. So they are written out in that form, and decoded with
/// the rest.
struct CaseTables {
    private let collector: DiagnosticCollector
    private var on: [TOMLEntry] = []
    private var after: [TOMLEntry] = []
    private var feedbacks: [TOMLEntry] = []

    /// The loop with the contents of `in` in their other places. A transition of a case comes before those of the loop.
    ///
    /// Reports cases that the loop does not have, and keys that the place makes superfluous.
    static func writtenOut(_ loop: TOMLEntry, _ collector: DiagnosticCollector) -> TOMLEntry {
        // Without cases, the decoder reports the key.
        guard let cases = loop.value.entry("in"), let states = loop.value.entry("states"),
            case .table(var entries, let isInline) = loop.value.content
        else { return loop }
        var tables = CaseTables(collector)
        for entry in cases.value.entries where entry.value.kind == .table {
            if states.value.entry(entry.key) != nil || states.value.kind != .table {
                tables.add(entry)
            } else {
                collector.unknownCase(
                    entry.key, of: loop.key, among: states.value.entries.map(\.key), at: entry.keySpan)
            }
        }
        for (key, added) in [("on", tables.on), ("after", tables.after), ("feedback", tables.feedbacks)] {
            guard let first = added.first else { continue }
            if let index = entries.firstIndex(where: { $0.key == key }) {
                guard entries[index].value.kind == .table else { continue }
                entries[index] = tables.joined(added, with: entries[index])
            } else {
                let node = TOMLNode(content: .table([], isInline: false), span: first.keySpan)
                let empty = TOMLEntry(key: key, keySpan: first.keySpan, value: node)
                entries.append(tables.joined(added, with: empty))
            }
        }
        let node = TOMLNode(content: .table(entries, isInline: isInline), span: loop.value.span)
        return TOMLEntry(key: loop.key, keySpan: loop.keySpan, value: node)
    }

    private init(_ collector: DiagnosticCollector) { self.collector = collector }

    private mutating func add(_ table: TOMLEntry) {
        for entry in table.value.entry("on")?.value.entries ?? [] {
            on.append(entry.with(entry.value.oneOrSeveral.map { restricted($0, by: "from", to: table) }))
        }
        if let entry = table.value.entry("after") {
            after.append(TOMLEntry(key: table.key, keySpan: entry.keySpan, value: entry.value))
        }
        for entry in table.value.entry("feedback")?.value.entries ?? [] {
            feedbacks.append(entry.with([restricted(entry.value, by: "in", to: table)]))
        }
    }

    /// A transition or a feedback that counts only in a case.
    private func restricted(_ node: TOMLNode, by key: String, to table: TOMLEntry) -> TOMLNode {
        guard case .table(var entries, let isInline) = node.content else { return node }
        if let given = node.entry(key) {
            collector.error(
                .conflictingKeys, "`\(key)` is superfluous below `in.\(table.key)`", at: given.keySpan,
                related: [Diagnostic.Label(table.keySpan, "it holds in this case only")],
                help: ["remove it, or move the entry out of `in`"])
            return node
        }
        if key == "from", let index = entries.firstIndex(where: { $0.key == "cases" }),
            case .array(let cases) = entries[index].value.content
        {
            entries[index] = entries[index].with(cases.map { restricted($0, by: key, to: table) })
        } else {
            let name = TOMLNode(content: .string(table.key), span: table.keySpan)
            entries.append(TOMLEntry(key: key, keySpan: table.keySpan, value: name))
        }
        return TOMLNode(content: .table(entries, isInline: isInline), span: node.span)
    }

    /// A table of the loop with the entries of cases: lists of transitions follow each other, and feedbacks have names
    /// of their own.
    private func joined(_ added: [TOMLEntry], with table: TOMLEntry) -> TOMLEntry {
        guard case .table(let own, let isInline) = table.value.content else { return table }
        var entries: [TOMLEntry] = []
        var indices: [String: Int] = [:]
        for entry in added + own {
            guard let index = indices[entry.key] else {
                indices[entry.key] = entries.count
                entries.append(entry)
                continue
            }
            guard table.key == "feedback" else {
                entries[index] = entries[index].with(
                    entries[index].value.oneOrSeveral + entry.value.oneOrSeveral)
                continue
            }
            collector.error(
                .definedTwice, "feedback `\(entry.key)` is defined twice", at: entry.keySpan,
                related: [Diagnostic.Label(entries[index].keySpan, "first defined here")],
                help: ["choose another name: a loop has each name once, in all cases"])
        }
        let node = TOMLNode(content: .table(entries, isInline: isInline), span: table.value.span)
        return TOMLEntry(key: table.key, keySpan: table.keySpan, value: node)
    }
}

extension DiagnosticCollector {
    /// Reports a case that a loop does not have.
    func unknownCase(_ name: String, of loop: String, among names: [String], at span: SourceSpan) {
        error(
            .unknownCase, "loop `\(loop)` has no case `\(name)`", at: span, label: "it has \(names.quoted)",
            help: [names.suggestion(for: name)])
    }
}

extension TOMLEntry {
    /// The entry with these nodes as an array, which a single transition need not be in.
    fileprivate func with(_ nodes: [TOMLNode]) -> TOMLEntry {
        let isPlain = nodes.count == 1 && value.kind != .array
        let node = isPlain ? nodes[0] : TOMLNode(content: .array(nodes), span: value.span)
        return TOMLEntry(key: key, keySpan: keySpan, value: node)
    }
}
