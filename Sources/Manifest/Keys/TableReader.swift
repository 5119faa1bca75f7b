import Diagnostics

/// Reads a table of the manifest. It checks every key once against the table's description (`ManifestTable`).
final class TableReader {
    /// The table's value.
    let node: TOMLNode
    /// Its path in the file: `loops.levels`; empty for the file itself.
    let path: String
    /// The key that names it.
    let keySpan: SourceSpan
    /// The keys that the user chose, in source order, each with a value of the right form.
    private(set) var named: [TOMLEntry] = []
    /// The keys that the user chose and gave a value of the wrong form.
    private(set) var refused: Set<String> = []

    private let table: ManifestTable
    private let parent: TableReader?
    private let collector: DiagnosticCollector
    // At most as many as the table has fixed keys, so a linear search is fast.
    private var known: [TOMLEntry] = []
    // Keys that the user probably misspelt: their absence is not reported again.
    private var meant: Set<String> = []

    /// A reader of `node`, whose keys are checked at once.
    ///
    /// - Precondition: the node is a table.
    init(
        _ node: TOMLNode, _ table: ManifestTable, path: String, keySpan: SourceSpan, parent: TableReader?,
        collector: DiagnosticCollector
    ) {
        precondition(node.kind == .table, "a table is read")
        (self.node, self.table, self.path, self.keySpan) = (node, table, path, keySpan)
        (self.parent, self.collector) = (parent, collector)
        for entry in node.entries where !entry.key.hasPrefix("x-") && !collector.isFull { check(entry) }
    }

    /// The table as a message names it.
    var title: String { path.isEmpty ? "the manifest" : node.isInline ? "`\(path)`" : "`[\(path)]`" }

    /// The path of a key of this table.
    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The table that is the value of a key, with the keys that `table` describes; nil if the key is absent.
    func table(_ key: String, _ table: ManifestTable) -> TableReader? {
        entry(key).map { reader(of: $0, table) }
    }

    /// The tables in the array that is the value of a key. Reports elements that are not tables.
    func tables(_ key: String, _ table: ManifestTable) -> [TableReader] {
        guard let entry = entry(key), case .array(let elements) = entry.value.content else { return [] }
        return elements.enumerated().compactMap { index, node in
            guard node.kind == .table else {
                wrongType(node, of: key, expected: "a table")
                return nil
            }
            // The span of a table without braces is its header; the span of an inline table is the table.
            return TableReader(
                node, table, path: "\(path(of: key))[\(index)]", keySpan: node.span, parent: self,
                collector: collector)
        }
    }

    /// The table that is the value of an entry of this table.
    func reader(of entry: TOMLEntry, _ table: ManifestTable) -> TableReader {
        TableReader(
            entry.value, table, path: path(of: entry.key), keySpan: entry.keySpan, parent: self,
            collector: collector)
    }

    /// A key's value; nil if the key is absent or its value has the wrong form.
    func value(_ key: String) -> TOMLNode? { entry(key)?.value }

    /// True for a key that is present with a value of the wrong form.
    func isRefused(_ key: String) -> Bool { entry(key) == nil && node.entry(key) != nil }

    /// The span of a key; nil if it is absent.
    func span(of key: String) -> SourceSpan? { node.entry(key)?.keySpan }

    func string(_ key: String) -> String? { value(key)?.string }

    func boolean(_ key: String) -> Bool? {
        guard case .boolean(let value) = value(key)?.content else { return nil }
        return value
    }

    /// The strings of an array, or a single string. Reports other elements.
    func strings(_ key: String) -> [(text: String, node: TOMLNode)]? {
        value(key)?.oneOrSeveral.compactMap { element in
            guard let text = element.string else {
                wrongType(element, of: key, expected: "a string")
                return nil
            }
            return (text, element)
        }
    }

    /// An integer within a range. Reports a number outside it.
    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = value(key), case .integer(let number) = node.content else { return nil }
        if let number = Int(exactly: number), range.contains(number) { return number }
        collector.error(
            .outOfRange, "`\(key)` cannot be \(number)", at: node.span,
            label: "expected \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// One of the words that a key accepts. Reports any other word.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String, as: Word.Type) -> Word? {
        guard let node = value(key), let text = node.string else { return nil }
        let words = Word.allCases.map(\.rawValue)
        precondition(
            table.field(key)?.form.choices == words,
            "the field table must list the words of `\(key)`: make its form `.word(\(Word.self).self)`")
        if let word = Word(rawValue: text) { return word }
        collector.error(
            .unknownWord, "`\(key)` cannot be `\(text)`", at: node.span,
            label: "expected one of \(words.quoted)",
            help: [words.suggestion(for: text)])
        return nil
    }

    /// Reports that a required key is absent.
    func missing(_ key: String, help: String? = nil) {
        guard node.entry(key) == nil, !meant.contains(key) else { return }
        collector.error(.missingKey, "`\(key)` is missing in \(title)", at: keySpan, help: [help])
    }

    /// Reports a value of the wrong kind.
    func wrongType(_ node: TOMLNode, of key: String, expected: String, help: String? = nil) {
        collector.error(
            .wrongType, "`\(key)`: expected \(expected), found \(node.kind.words)", at: node.span,
            help: [help])
    }

    /// The help for a key that is probably in the wrong table, because a later header stands between it and
    /// its own table; nil for any other key.
    func misplacement(of entry: TOMLEntry) -> String? {
        guard entry.keySpan.file === keySpan.file, node.span.start < keySpan.start,
            entry.keySpan.start.line > node.span.start.line
        else {
            return nil
        }
        var owner = parent
        while let candidate = owner, candidate.table.field(entry.key) == nil { owner = candidate.parent }
        guard let owner else { return nil }
        guard !owner.path.isEmpty else {
            let first = owner.node.entries.filter(\.hasHeader).map(\.value.span.start.line).min()
            return first.map { "`\(entry.key)` is a key of the whole manifest: move it above line \($0)" }
        }
        let headers = owner.node.entries.filter(\.hasHeader).map(\.value.span.start)
        // If only longer headers name a table, its span is the first of them.
        guard !headers.contains(owner.node.span.start),
            let first = headers.first(where: { $0 > owner.node.span.start })
        else { return "`\(entry.key)` belongs to `[\(owner.path)]`: put it below a header of that name" }
        return "`\(entry.key)` belongs to `[\(owner.path)]`: move it above line \(first.line)"
    }

    private func entry(_ key: String) -> TOMLEntry? { known.first { $0.key == key } }

    private func check(_ entry: TOMLEntry) {
        if let field = table.field(entry.key) {
            guard field.form.kinds.contains(entry.value.kind) else {
                wrongType(entry.value, of: entry.key, expected: field.form.words)
                return
            }
            known.append(entry)
        } else if let field = table.named {
            guard field.form.kinds.contains(entry.value.kind) else {
                wrongType(
                    entry.value, of: entry.key, expected: field.form.words, help: misplacement(of: entry))
                refused.insert(entry.key)
                return
            }
            named.append(entry)
        } else {
            let names = table.fields.map(\.name)
            let misplacement = misplacement(of: entry)
            if let key = Suggestion.closest(to: entry.key, among: names) { meant.insert(key) }
            collector.error(
                .unknownKey, "unknown key `\(entry.key)` in \(title)", at: entry.keySpan,
                label: "expected one of \(names.quoted)",
                help: [misplacement ?? names.suggestion(for: entry.key)])
        }
    }
}
