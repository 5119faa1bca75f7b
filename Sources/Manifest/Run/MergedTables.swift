import Diagnostics

/// The root tables of the files of a manifest as one table.
///
/// A table of several files has the entries of all of them, and an array their elements. The keys of the manifest itself
/// come first, then those of the other files in their order.
struct MergedTables {
    /// The table of all files.
    private(set) var root: TOMLNode

    private let collector: DiagnosticCollector
    private var entries: [TOMLEntry] = []
    // By key, the index in `entries`.
    private var indices: [String: Int] = [:]
    // For each of them the entries of its table, and the same by their keys.
    private var tables: [[TOMLEntry]] = []
    private var named: [[String: TOMLEntry]] = []
    // For each of them the elements of its array.
    private var arrays: [[TOMLNode]] = []

    /// - Parameters:
    ///   - roots: at least one: that of the manifest.
    ///   - collector: gets the keys that two files have.
    init(_ roots: [TOMLNode], _ collector: DiagnosticCollector) {
        (root, self.collector) = (roots[0], collector)
        guard roots.count > 1 else { return }
        for entry in roots[0].entries { append(entry) }
        for other in roots.dropFirst() {
            for entry in other.entries where entry.key != "include" && !entry.key.hasPrefix("x-") {
                add(entry)
            }
        }
        let merged = entries.indices.map { index in
            switch entries[index].value.content {
            case .table(_, let isInline): entries[index].with(.table(tables[index], isInline: isInline))
            case .array: entries[index].with(.array(arrays[index]))
            default: entries[index]
            }
        }
        root = TOMLNode(content: .table(merged, isInline: root.isInline), span: root.span)
    }

    private mutating func append(_ entry: TOMLEntry) {
        indices[entry.key] = entries.count
        entries.append(entry)
        tables.append(entry.value.entries)
        named.append(
            Dictionary(entry.value.entries.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first }))
        let elements = if case .array(let elements) = entry.value.content { elements } else { [TOMLNode]() }
        arrays.append(elements)
    }

    private mutating func add(_ entry: TOMLEntry) {
        guard entry.key != "app" else {
            collector.error(
                .onlyInManifest, "`app` stands in the manifest itself", at: entry.keySpan,
                help: ["move it there: a file that is included has no say over the app as a whole"])
            return
        }
        guard let index = indices[entry.key] else { return append(entry) }
        switch (entries[index].value.kind, entry.value.content) {
        case (.table, .table(let others, _)):
            for other in others {
                if let same = named[index][other.key] {
                    refuse("\(entry.key).\(other.key)", at: other, after: same)
                } else {
                    named[index][other.key] = other
                    tables[index].append(other)
                }
            }
        case (.array, .array(let others)): arrays[index] += others
        default: refuse(entry.key, at: entry, after: entries[index])
        }
    }

    private func refuse(_ key: String, at second: TOMLEntry, after first: TOMLEntry) {
        collector.error(
            .definedTwice, "`\(key)` is defined twice", at: second.keySpan,
            related: [Diagnostic.Label(first.keySpan, "first defined here")])
    }
}

extension TOMLEntry {
    fileprivate func with(_ content: TOMLNode.Content) -> TOMLEntry {
        TOMLEntry(key: key, keySpan: keySpan, value: TOMLNode(content: content, span: value.span))
    }
}
