import Diagnostics
import Interfaces
import Records

extension EmissionDecoder {
    /// What is sent for each emission of an effect, for each variant of `scope`.
    ///
    /// Which events an emission becomes says its entry in `emits`, else `emit` if that fits it, else an event of equal
    /// name and fields. `send` is for every emission that it fits.
    func emitted(by effect: ManifestDecoder.Effect, in scope: ExpressionScope) -> [[EmissionBatch]] {
        var batches = scope.variants.map { _ in [EmissionBatch]() }
        guard !effect.emitters.isEmpty else {
            for key in ["emit", "emits", "send"] {
                guard let span = feedback.table.span(of: key) else { continue }
                manifest.collector.error(
                    .conflictingKeys, "`\(effect.name)` emits nothing: its plugin describes no emitter",
                    at: span,
                    help: ["declare what it emits with `SPIN_EMITTER`, or leave `\(key)` out"])
            }
            return batches
        }
        let named = entriesByName(effect)
        let others = effect.emitters.filter { named[$0.name] == nil }
        if drafts.emit != nil, others.isEmpty {
            manifest.collector.error(
                .conflictingKeys, "there is nothing for `emit`: `emits` names every emission",
                at: feedback.table.span(of: "emit"), help: ["leave one of them out"])
        }
        let general = fitting(others, drafts.emit) { emitter, entries in
            self.compile(entries, in: scope.with(value: emitter.payload))
        }
        let messages = fitting(effect.emitters, drafts.send) { emitter, entries in
            self.compile(entries, in: scope.with(value: emitter.payload))
        }
        for emitter in effect.emitters {
            let events =
                named[emitter.name].map { compile($0, in: scope.with(value: emitter.payload)) }
                ?? general[emitter.name] ?? equal(emitter, in: scope)
            guard events != nil || messages[emitter.name] != nil else {
                warn(of: emitter, effect)
                continue
            }
            for index in batches.indices {
                batches[index].append(
                    EmissionBatch(
                        emitter: emitter.name, emissions: events?[index] ?? [],
                        messages: messages[emitter.name]?[index] ?? []))
            }
        }
        return batches
    }

    /// The entries of `emits` that name an emission, by its name.
    private func entriesByName(_ effect: ManifestDecoder.Effect) -> [String: [Draft]] {
        var entries: [String: [Draft]] = [:]
        let names = effect.emitters.map(\.name)
        for named in drafts.emits {
            guard names.contains(named.name) else {
                manifest.collector.error(
                    .unknownEmitter, "`\(effect.name)` does not emit `\(named.name)`", at: named.span,
                    label: "its plugin describes \(names.quoted)",
                    help: [names.suggestion(for: named.name)])
                continue
            }
            entries[named.name] = named.entries
        }
        for name in drafts.faulty where names.contains(name) { entries[name] = [] }
        return entries
    }

    /// What entries become for each of the emitters that they fit, by its name. If they fit none, the faults of the
    /// nearest are shown; if there are no entries, the answer is empty.
    private func fitting<Entries, Compiled>(
        _ emitters: [EmitterDescription], _ entries: Entries?,
        _ compile: (EmitterDescription, Entries) -> [Compiled]
    ) -> [String: [Compiled]] {
        guard let entries else { return [:] }
        var fitting: [String: [Compiled]] = [:]
        var fewest: [Diagnostic]?
        for emitter in emitters {
            let (compiled, faults) = manifest.trying { compile(emitter, entries) }
            if faults.contains(where: { $0.severity == .error }) {
                if faults.count < fewest?.count ?? Int.max { fewest = faults }
            } else {
                fitting[emitter.name] = compiled
            }
        }
        if fitting.isEmpty, let fewest { for fault in fewest { manifest.collector.add(fault) } }
        return fitting
    }

    /// The event of equal name and fields; nil when there is none.
    private func equal(_ emitter: EmitterDescription, in scope: ExpressionScope) -> [[EmissionModel]]? {
        guard
            let event = loop.events.firstIndex(where: {
                $0.name == emitter.name && $0.type == emitter.payload
            })
        else { return nil }
        return copy(of: emitter.payload, emittedAs: emitter.name, to: event, in: scope)
    }

    /// What emissions of one name become that are an event of the same fields.
    func copy(
        of payload: RecordType, emittedAs name: String, to event: Int, in scope: ExpressionScope
    ) -> [[EmissionModel]]? {
        let scope = scope.with(value: payload)
        var assignments = scope.variants.map { _ in [Assignment]() }
        for field in payload.fields {
            let file = SourceFile(name: "`\(name)`", text: "value.\(field.name)")
            let text = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
            guard let variants = manifest.assignments(to: field, text, in: scope) else { return nil }
            for index in variants.indices { assignments[index].append(variants[index]) }
        }
        return assignments.map {
            [EmissionModel(event: event, condition: nil, assignments: $0, span: feedback.table.keySpan)]
        }
    }

    /// Warns that an emission becomes nothing. A plugin's notes do not say which of its effects emits what; an effect
    /// whose description names some of the emitters emits those.
    private func warn(of emitter: EmitterDescription, _ effect: ManifestDecoder.Effect) {
        let doc = effect.description?.doc ?? ""
        let isNamed: (EmitterDescription) -> Bool = { doc.contains("`\($0.name)`") }
        guard isNamed(emitter) || !effect.emitters.contains(where: isNamed), !hasFaults else { return }
        let sameName = loop.events.first { $0.name == emitter.name }
        manifest.collector.add(
            Diagnostic(
                .warning, ManifestCode.emissionNotMapped.code,
                "`\(emitter.name)`, which `\(effect.name)` emits, becomes no event",
                at: feedback.table.value("effect")?.span,
                related: sameName.map { [Diagnostic.Label($0.span, "this event has other fields")] } ?? [],
                help: [
                    "map it: `emits.\(emitter.name) = { event = \"NAME\" }`, "
                        + "or `emits.\(emitter.name) = []` for nothing"
                ]))
    }

    /// Whether something that was to be sent is at fault, so that nobody knows what was meant.
    private var hasFaults: Bool {
        ["emit", "emits", "send"].contains(where: feedback.table.isRefused) || !drafts.faulty.isEmpty
            || manifest.collector.errorCount > errorsBefore
    }
}
