import Diagnostics
import Interfaces
import Records

extension EmissionDecoder {
    /// The batches for the emissions of an effect, for each variant of `scope`.
    ///
    /// The events of an emission come from its entry in `emits`; else from `emit`, if that fits; else the
    /// event with the same name and fields is sent. `send` is for every emission that it fits.
    func emitted(by effect: ManifestDecoder.Effect, in scope: ExpressionScope) -> [[EmissionBatch]] {
        var batches = scope.variants.map { _ in [EmissionBatch]() }
        guard !effect.emitters.isEmpty else {
            for key in ["emit", "emits", "send"] {
                guard let span = feedback.table.span(of: key) else { continue }
                manifest.collector.error(
                    .conflictingKeys, "`\(effect.name)` emits nothing: its plugin declares no emitter",
                    at: span,
                    help: ["declare its emissions with `SPIN_EMITTER`, or remove `\(key)`"])
            }
            return batches
        }
        let named = entriesByName(effect)
        let others = effect.emitters.filter { named[$0.name] == nil }
        if drafts.emit != nil, others.isEmpty {
            manifest.collector.error(
                .conflictingKeys, "`emit` has no effect, because `emits` names every emission",
                at: feedback.table.span(of: "emit"), help: ["remove `emit`, or an entry of `emits`"])
        }
        let general = fitting(others, drafts.emit) { emitter, entries in
            self.compile(entries, in: scope.with(value: emitter.payload))
        }
        let messages = fitting(effect.emitters, drafts.send) { emitter, entries in
            self.compile(entries, in: scope.with(value: emitter.payload))
        }
        var unmapped: [EmitterDescription] = []
        for emitter in effect.emitters {
            let events =
                named[emitter.name].map { compile($0, in: scope.with(value: emitter.payload)) }
                ?? general[emitter.name] ?? equal(emitter, in: scope)
            guard events != nil || messages[emitter.name] != nil else {
                unmapped.append(emitter)
                continue
            }
            for index in batches.indices {
                batches[index].append(
                    EmissionBatch(
                        emitter: emitter.name, emissions: events?[index] ?? [],
                        messages: messages[emitter.name]?[index] ?? []))
            }
        }
        warn(of: unmapped, effect)
        return batches
    }

    /// The entries of `emits`, by the name of the emission. Reports unknown names, and warns of those that the effect
    /// does not seem to emit.
    private func entriesByName(_ effect: ManifestDecoder.Effect) -> [String: [Draft]] {
        var entries: [String: [Draft]] = [:]
        let names = effect.emitters.map(\.name)
        for named in drafts.emits {
            let described = describedEmitters(of: effect).map(\.name)
            let label = described.isEmpty ? "" : "its description names \(described.quoted)"
            guard names.contains(named.name) else {
                manifest.collector.error(
                    .unknownEmitter, "`\(effect.name)` does not emit `\(named.name)`", at: named.span,
                    label: described.count == names.count || described.isEmpty
                        ? "its plugin declares \(names.quoted)" : label,
                    help: [names.suggestion(for: named.name)])
                continue
            }
            if !described.contains(named.name), !named.entries.isEmpty {
                manifest.collector.add(
                    Diagnostic(
                        .warning, ManifestCode.unknownEmitter.code,
                        "`\(effect.name)` does not seem to emit `\(named.name)`, which its plugin declares",
                        at: named.span, label: label))
            }
            entries[named.name] = named.entries
        }
        for name in drafts.faulty where names.contains(name) { entries[name] = [] }
        return entries
    }

    /// The entries compiled for each emitter that they fit, by its name; empty without entries. If they fit
    /// no emitter, it reports the faults for the emitter with the fewest.
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

    /// The event with the emitter's name and fields; nil if there is none.
    private func equal(_ emitter: EmitterDescription, in scope: ExpressionScope) -> [[EmissionModel]]? {
        guard
            let event = loop.events.firstIndex(where: {
                $0.name == emitter.name && $0.type == emitter.payload
            })
        else { return nil }
        return copy(of: emitter.payload, emittedAs: emitter.name, to: event, in: scope)
    }

    /// Copies the payload of an emission to an event with the same fields, for each variant of `scope`.
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

    /// The emitters that an effect is taken to have. A plugin's notes do not say which effect has which. If the
    /// description of an effect names some, it is taken to emit only those; and nothing, if it says that it `emits
    /// nothing.`
    private func describedEmitters(of effect: ManifestDecoder.Effect) -> [EmitterDescription] {
        let doc = effect.description?.doc ?? ""
        let named = effect.emitters.filter { doc.contains("`\($0.name)`") }
        return !named.isEmpty || doc.lowercased().contains("emits nothing.") ? named : effect.emitters
    }

    /// Warns of emissions without an event, if the effect is taken to have them.
    private func warn(of emitters: [EmitterDescription], _ effect: ManifestDecoder.Effect) {
        let described = Set(describedEmitters(of: effect).map(\.name))
        let names = emitters.map(\.name).filter(described.contains)
        guard let first = names.first, !hasFaults else { return }
        let sameNames = loop.events.filter { names.contains($0.name) }
        manifest.collector.add(
            Diagnostic(
                .warning, ManifestCode.emissionNotMapped.code,
                "no event is mapped to \(names.count == 1 ? "emission" : "the emissions") \(names.quoted) "
                    + "of `\(effect.name)`",
                at: feedback.table.value("effect")?.span,
                related: sameNames.map { Diagnostic.Label($0.span, "this event has other fields") },
                help: [
                    "map \(names.count == 1 ? "it" : "each"): `emits.\(first) = { event = \"NAME\" }`, "
                        + "or `emits.\(first) = []` for no event"
                ]))
    }

    /// True if some entry of this feedback has a fault, so that its intention is unknown.
    private var hasFaults: Bool {
        ["emit", "emits", "send"].contains(where: feedback.table.isRefused) || !drafts.faulty.isEmpty
            || manifest.collector.errorCount > errorsBefore
    }
}
