import Diagnostics
import Records

/// The gears of loops with a key. Each has the name of its loop, and a message for each of its events: the fields of the
/// event, and the key. `send = { loop = … }` sends such a message.
extension ManifestDecoder {
    /// Adds the gears of the loops with a key, before the loops are decoded.
    func addGears(ofLoops table: TableReader) {
        loopNames = table.refused.union(table.named.map(\.key))
        for entry in table.named {
            guard entry.value.kind == .table, let key = entry.value.entry(KeyModel.name),
                let word = key.value.string, let kind = KeyModel.Kind(rawValue: word)
            else { continue }
            if let declared = gears.first(where: { $0.name == entry.key }) {
                collector.error(
                    .definedTwice, "gear `\(entry.key)` has the name of a loop with a key", at: declared.span,
                    related: [Diagnostic.Label(entry.keySpan, "the gear of this loop has its name")],
                    help: ["give the gear another name"])
            }
            // The loop reports its own faults later.
            let (events, faulty) = trying {
                let reader = TableReader(
                    entry.value, .loop, path: "loops.\(entry.key)", keySpan: entry.keySpan, parent: nil,
                    collector: collector)
                return LoopDecoder(self, reader, name: entry.key).decodeEventsAlone()
            }.result
            let messages = events.filter { $0.type.field(KeyModel.name) == nil }.map { event in
                let fields = KeyModel.record(of: kind).fields + event.type.fields
                return GearMessageModel(
                    name: event.name, type: RecordType(fields.map { ($0.name, $0.type) }), span: event.span)
            }
            for event in faulty { faultyGears.insert("\(entry.key).\(event)") }
            loopGears[entry.key] = gears.count
            gears.append(
                GearModel(
                    name: entry.key, messages: messages, replay: 0, isOfLoop: true, span: entry.keySpan))
        }
    }

    /// The gear of a loop with a key; nil after a report.
    func loopGear(_ name: String, at span: SourceSpan) -> Int? {
        if let gear = loopGears[name] { return gear }
        let isLoop = loopNames.contains(name)
        let keyed = loopGears.keys.sorted()
        collector.error(
            isLoop ? .conflictingKeys : .unknownLoop,
            isLoop ? "loop `\(name)` has no key, so `send` cannot name it" : "there is no loop `\(name)`",
            at: span,
            label: keyed.isEmpty ? "no loop has a key" : "loops with a key: \(keyed.quoted)",
            help: [
                isLoop
                    ? "send a message to a gear that it receives from, or give it a key"
                    : keyed.suggestion(for: name)
            ])
        return nil
    }

    /// The message for an event in the gear of a loop with a key; nil after a report.
    func event(_ name: String, ofLoopWithGear gear: Int, at span: SourceSpan) -> Int? {
        let model = gears[gear]
        if faultyGears.contains("\(model.name).\(name)") { return nil }
        if let index = model.messages.firstIndex(where: { $0.name == name }) { return index }
        let names = model.messages.map(\.name)
        collector.error(
            .unknownEvent, "loop `\(model.name)` has no event `\(name)`", at: span,
            label: names.isEmpty ? "it has no events" : "it has \(names.quoted)",
            related: [Diagnostic.Label(model.span, "declared here")],
            help: [names.suggestion(for: name)])
        return nil
    }
}

extension LoopDecoder {
    /// The events that a loop with a key makes of the messages of its own gear.
    func receivesOfOwnGear(_ key: KeyModel) -> [ReceiveModel] {
        let gear = manifest.gears[key.gear]
        return gear.messages.enumerated().compactMap { index, message in
            guard let event = events.firstIndex(where: { $0.name == message.name }) else { return nil }
            let scope = ExpressionScope(config: manifest.config.type).withTime.with(message: message.type)
            func assignment(to field: RecordType.Field) -> Assignment? {
                let file = SourceFile(name: "`send`", text: "message.\(field.name)")
                let text = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
                return manifest.assignments(to: field, text, in: scope)?[0]
            }
            return ReceiveModel(
                gear: key.gear, message: index, event: event, condition: nil,
                key: assignment(to: key.record.fields[0]),
                assignments: events[event].type.fields.compactMap(assignment), span: message.span)
        }
    }
}
