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

    /// The entries of `emits`, by the name of the emission. Reports unknown names.
    private func entriesByName(_ effect: ManifestDecoder.Effect) -> [String: [Draft]] {
        var entries: [String: [Draft]] = [:]
        let names = effect.emitters.map(\.name)
        for named in drafts.emits {
            guard names.contains(named.name) else {
                manifest.collector.error(
                    .unknownEmitter, "`\(effect.name)` does not emit `\(named.name)`", at: named.span,
                    label: "its plugin declares \(names.quoted)",
                    help: [names.suggestion(for: named.name)])
                continue
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

    /// Warns of an emission without an event. A plugin's notes do not say which effect has which emissions.
    /// If the description of an effect names some emitters, it is taken to emit only those; and none, if it says that
    /// it `emits nothing.`
    private func warn(of emitter: EmitterDescription, _ effect: ManifestDecoder.Effect) {
        let doc = effect.description?.doc ?? ""
        let isNamed: (EmitterDescription) -> Bool = { doc.contains("`\($0.name)`") }
        let isSilent = doc.lowercased().contains("emits nothing.")
        guard isNamed(emitter) || !isSilent && !effect.emitters.contains(where: isNamed), !hasFaults else {
            return
        }
        let sameName = loop.events.first { $0.name == emitter.name }
        manifest.collector.add(
            Diagnostic(
                .warning, ManifestCode.emissionNotMapped.code,
                "no event is mapped to emission `\(emitter.name)` of `\(effect.name)`",
                at: feedback.table.value("effect")?.span,
                related: sameName.map { [Diagnostic.Label($0.span, "this event has other fields")] } ?? [],
                help: [
                    "map it: `emits.\(emitter.name) = { event = \"NAME\" }`, "
                        + "or `emits.\(emitter.name) = []` for no event"
                ]))
    }

    /// True if some entry of this feedback has a fault, so that its intention is unknown.
    private var hasFaults: Bool {
        ["emit", "emits", "send"].contains(where: feedback.table.isRefused) || !drafts.faulty.isEmpty
            || manifest.collector.errorCount > errorsBefore
    }
}
