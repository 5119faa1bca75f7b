import Diagnostics
import Records

extension LoopDecoder {
    /// The greatest number of instances that `limit` can allow.
    private static let mostInstances = 100_000_000
    /// The number of instances without `limit`.
    static let usualInstances = 1_000_000

    /// The field of the state that has the key. An entry of the file stands for it in messages.
    var keyDrafts: [FieldDraft] {
        guard let kind = keyKind, let entry = table.node.entry(KeyModel.name) else { return [] }
        return [FieldDraft(name: KeyModel.name, type: kind.type, initial: nil, range: nil, entry: entry)]
    }

    /// The field of the state that has the key; nil for a loop without a key.
    var keyField: RecordType.Field? { keyKind == nil ? nil : stateType.field(KeyModel.name) }

    /// The fields without one named `key`: the loop has that field already. Reports it.
    func withoutKey(_ drafts: [FieldDraft]) -> [FieldDraft] {
        guard keyKind != nil, let span = table.span(of: KeyModel.name) else { return drafts }
        return drafts.filter { draft in
            guard draft.name == KeyModel.name else { return true }
            collector.error(
                .conflictingKeys, "the state of loop `\(name)` has a field `key` already",
                at: draft.entry.keySpan,
                related: [Diagnostic.Label(span, "the key of the loop is a field of its state")],
                help: ["remove this field, or give it another name"])
            return false
        }
    }

    /// Reports the key among the fields that a transition sets.
    func reportKeyInSet(_ entry: TOMLEntry) -> Bool {
        guard keyKind != nil, entry.key == KeyModel.name else { return false }
        collector.error(
            .conflictingKeys, "`set` cannot change the key", at: entry.keySpan,
            help: ["the key of an instance stays as it is: send an event to the instance of another key"])
        return true
    }

    /// Decodes the keys about instances; nil for a loop without a key, and after a report.
    func decodeKey(gear: Int?) -> KeyModel? {
        guard let span = table.span(of: KeyModel.name) else {
            for key in ["limit", "keep", "creates"] {
                guard let span = table.span(of: key) else { continue }
                collector.error(
                    .conflictingKeys, "`\(key)` needs a loop with a key", at: span,
                    help: ["give the loop a key, such as `key = \"string\"`, or remove `\(key)`"])
            }
            return nil
        }
        if let journal = manifest.journal.model, isJournaled {
            collector.error(
                .keyInJournal, "a journal cannot keep the instances of loop `\(name)`", at: span,
                label: "the app has the journal `\(journal.file)`",
                help: ["leave the loop out of it: `journal = false` in `[loops.\(name)]`"])
        }
        for event in events {
            // These keys of `send` would hide the field.
            guard let field = ["key", "loop", "gear"].first(where: { event.type.field($0) != nil }) else {
                continue
            }
            collector.error(
                .conflictingKeys, "an event of a loop with a key cannot have a field `\(field)`",
                at: event.span,
                related: [Diagnostic.Label(span, "the key says which instance gets an event")],
                help: ["give the field another name"])
        }
        if events.isEmpty, faultyEvents.isEmpty, !table.isRefused("events") {
            collector.error(
                .missingKey, "a loop with a key needs events, which make its instances", at: span,
                help: ["declare them: `events = { NAME = {} }`"])
        }
        let limit = table.integer("limit", in: 1...Self.mostInstances) ?? Self.usualInstances
        let keep = manifest.constantDuration(table, "keep") ?? .zero
        var creates: Set<Int>?
        if let names = table.strings("creates") {
            creates = Set(names.compactMap { event($0.text, at: $0.node.span) })
            if names.isEmpty, let node = table.value("creates") {
                collector.error(
                    .missingField, "`creates` names no event, so there could be no instance", at: node.span,
                    help: ["name the events that make an instance, or remove `creates`"])
            }
        }
        guard let kind = keyKind, let gear else { return nil }
        return KeyModel(
            kind: kind, limit: limit, keep: keep, creates: creates, gear: gear, span: span)
    }
}
