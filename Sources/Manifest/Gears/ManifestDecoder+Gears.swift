import Diagnostics
import Records

extension ManifestDecoder {
    /// Decodes `[gears]`.
    func decodeGears(_ table: TableReader) {
        for name in table.refused { faultyGears.insert(name) }
        for entry in table.named {
            _ = NameRule.check(entry, "a gear", collector)
            let gear = table.reader(of: entry, .gear)
            gear.missing("messages", help: "declare its messages: `messages = { NAME = {} }`")
            if gear.isRefused("messages") { faultyGears.insert(entry.key) }
            var messages: [GearMessageModel] = []
            if let table = gear.table("messages", .messages) {
                for name in table.refused { faultyGears.insert("\(entry.key).\(name)") }
                for message in table.named {
                    guard NameRule.check(message, "a message", collector),
                        let type = payload(table.reader(of: message, .message), fields: .messageField)
                    else {
                        faultyGears.insert("\(entry.key).\(message.key)")
                        continue
                    }
                    messages.append(
                        GearMessageModel(name: message.key, type: type, span: message.keySpan))
                }
            }
            let indices = messages.indices.map { (messages[$0].name, $0) }
            gearIndices[entry.key] = (gears.count, Dictionary(uniqueKeysWithValues: indices))
            gears.append(
                GearModel(
                    name: entry.key, messages: messages,
                    replay: gear.integer("replay", in: 0...Self.greatestReplay) ?? 0, span: entry.keySpan))
        }
    }

    /// The greatest number of messages that a gear keeps.
    private static let greatestReplay = 1 << 20

    /// In `faultyGears`, it means that all gears are unknown.
    static let anyGear = "*"

    /// The index of the gear with a name; nil after a report. It reports nothing about a faulty gear.
    func gear(_ name: String, at span: SourceSpan, help: String? = nil) -> Int? {
        if faultyGears.contains(name) || faultyGears.contains(Self.anyGear) { return nil }
        if let index = gearIndices[name]?.gear { return index }
        guard loopGears[name] == nil else {
            collector.error(
                .unknownGear, "the gear `\(name)` belongs to the loop of that name", at: span,
                help: ["send to an instance of it: `send = { loop = \"\(name)\", key = …, event = … }`"])
            return nil
        }
        let names = gears.lazy.filter { !$0.isOfLoop }.map(\.name)
        collector.error(
            .unknownGear, "there is no gear `\(name)`", at: span,
            label: names.isEmpty ? "the manifest declares no gears" : "known gears: \(names.quoted)",
            help: [
                help ?? names.suggestion(for: name)
                    ?? (names.isEmpty ? "declare it: `gears.\(name).messages = { NAME = {} }`" : nil)
            ])
        return nil
    }

    /// The message of a gear with a name; nil after a report. It reports nothing about a faulty message.
    func message(
        _ name: String, of gear: Int, at span: SourceSpan, help: String? = nil
    ) -> MessageReference? {
        let model = gears[gear]
        if faultyGears.contains(model.name) || faultyGears.contains("\(model.name).\(name)") { return nil }
        if let reference = reference(to: name, of: gear) { return reference }
        let names = model.messages.lazy.map(\.name)
        collector.error(
            .unknownMessage, "gear `\(model.name)` has no message `\(name)`", at: span,
            label: names.isEmpty ? "it has no messages" : "it has \(names.quoted)",
            related: [Diagnostic.Label(model.span, "declared here")],
            help: [help ?? names.suggestion(for: name)])
        return nil
    }

    /// A message of a gear, identified by the indices of both.
    struct MessageReference: Hashable {
        let gear: Int
        let message: Int
    }

    /// Records that some loop receives these messages of a gear.
    func receives(_ names: some Sequence<String>, from gear: Int) {
        namedInReceive.formUnion(names.compactMap { reference(to: $0, of: gear) })
    }

    /// Records that some feedback sends these messages of a gear.
    func sends(_ names: some Sequence<String>, to gear: Int) {
        namedInSend.formUnion(names.compactMap { reference(to: $0, of: gear) })
    }

    private func reference(to name: String, of gear: Int) -> MessageReference? {
        gearIndices[gears[gear].name]?.messages[name].map { MessageReference(gear: gear, message: $0) }
    }

    /// Warns of messages that no loop receives and of messages that no feedback sends.
    func checkUseOfMessages() {
        for gear in gears.indices where !gears[gear].isOfLoop {
            for message in gears[gear].messages.indices {
                let reference = MessageReference(gear: gear, message: message)
                let model = gears[gear].messages[message]
                let name = "\(gears[gear].name).\(model.name)"
                if !namedInReceive.contains(reference) {
                    collector.warning(
                        .messageNotReceived, "no loop receives `\(name)`", at: model.span,
                        help: ["receive it in a loop: `receive = { \(name) = { event = \"NAME\" } }`"])
                }
                if !namedInSend.contains(reference) {
                    collector.warning(
                        .messageNotSent, "no feedback sends `\(name)`", at: model.span,
                        help: [
                            "send it: `send = { gear = \"\(gears[gear].name)\", message = \"\(model.name)\" }`"
                        ])
                }
            }
        }
    }
}
