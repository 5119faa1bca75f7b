import Interfaces

/// What both a note and a table of a library say.
struct PluginStatement: Hashable, Sendable {
    let kind: PluginNote.Kind
    /// The texts that both have, by position.
    let texts: [String]

    init(_ kind: PluginNote.Kind, _ texts: [String]) {
        (self.kind, self.texts) = (kind, PluginNote(kind, texts).fields)
    }

    init(_ note: PluginNote) {
        let positions =
            switch note.kind {
            case .plugin: 1..<3
            case .effect, .reducer: 0..<4
            case .emitter: 0..<3
            case .loop: 0..<1
            case .record: 0..<2
            case .swap: 2..<3
            case .instance, .config, .life, .reconfigure: 0..<0
            }
        self.init(note.kind, positions.map { note[$0] })
    }

    /// The note that says this, for a plugin that is linked into the process.
    var note: PluginNote { PluginNote(kind, kind == .plugin ? ["\(ABIVersion.host)"] + texts : texts) }

    /// What is described, such as ``effect `fetch` ``.
    var subject: String {
        switch kind {
        case .effect, .emitter, .reducer, .loop, .record: "\(kind.word) `\(texts[0])`"
        case .plugin, .instance, .config, .life, .swap, .reconfigure: kind.word
        }
    }

    /// The first difference between notes and table, in words; nil if they agree.
    static func difference(notes: [PluginNote], table: PluginTable) -> String? {
        var named: Set<String> = []
        for note in notes {
            let statement = PluginStatement(note)
            guard let other = table.statements[statement.subject] else {
                return "its `spin_entry` has no \(statement.subject)"
            }
            guard other == statement else { return "its `spin_entry` has another \(statement.subject)" }
            named.insert(statement.subject)
        }
        return table.statements.keys.filter { !named.contains($0) }.min().map {
            "its `spin_entry` has \($0), which no note names"
        }
    }
}
