import Diagnostics
import Records

extension FeedbackDecoder {
    /// Decodes `recover`; `again` without the key, and after a report.
    func decodeRecovery(_ emissions: EmissionDecoder) -> RecoveryModel {
        guard let node = table.value("recover") else { return .again }
        guard node.kind != .string else {
            return table.word("recover", as: RecoveryWord.self) == .drop ? .drop : .again
        }
        let entries = emissions.entries(node, of: "recover", in: table)
        let events = emissions.compile(entries, in: loop.scope.withTime)[0]
        return .emit(EmissionBatch(emitter: nil, emissions: events))
    }

    /// Warns of `durable = false` and of `recover` where nothing depends on them.
    func checkKeysOfJournal() {
        if table.boolean("durable") == false { checkUse(of: "durable", needsEveryStep: true) }
        if table.value("recover") != nil { checkUse(of: "recover", needsEveryStep: false) }
    }

    private func checkUse(of key: String, needsEveryStep: Bool) {
        let (reason, help): (String, String)
        switch manifest.journal {
        case .known(let journal) where !loop.isJournaled:
            reason = "loop `\(loop.name)` is not in the journal `\(journal.file)`"
            help = "remove it, or `journal = false` of the loop"
        case .known(let journal) where needsEveryStep && journal.durability != .everyStep:
            reason = "no effect waits for a journal that is `\(journal.durability.rawValue)`"
            help = "remove it, or write `durable = \"every-step\"` in `[app.journal]`"
        case .known, .faulty: return
        case .absent:
            reason = "the app has no journal"
            help = "remove it, or name a journal: `app.journal = \"run.journal\"`"
        }
        collector.warning(
            .keyWithoutEffect, "`\(key)` has no effect: \(reason)", at: table.span(of: key), help: [help])
    }
}

extension LoopDecoder {
    /// Whether the loop's steps are in the journal of an app that has one.
    var isJournaled: Bool { table.boolean("journal") ?? true }

    /// Reports fields of the state with pointers, for a loop whose steps are in a journal.
    func checkAddresses(_ drafts: [FieldDraft]) {
        guard manifest.journal.model != nil, isJournaled else { return }
        for draft in drafts where draft.type.hasPointers {
            collector.error(
                .addressInJournal, "a journal cannot keep `\(draft.name)`, which has a `pointer`",
                at: draft.entry.keySpan, label: "an address means nothing to the next process",
                help: ["leave the loop out of the journal: `journal = false` in `[loops.\(name)]`"])
        }
    }
}
