import Diagnostics
import Records

extension EmissionDecoder {
    /// A message to send.
    struct MessageDraft {
        fileprivate let gear: Int
        fileprivate let message: Int
        fileprivate let table: TableReader
        fileprivate let fields: [(field: RecordType.Field, node: TOMLNode)]
    }

    /// The entries of `send`.
    func messages(_ node: TOMLNode) -> [MessageDraft] {
        node.oneOrSeveral.compactMap { node -> MessageDraft? in
            let isToLoop =
                node.entry("loop") != nil || node.entry("event") != nil && node.entry("message") == nil
            if node.kind == .table, isToLoop, node.entry("gear") == nil { return message(toLoop: node) }
            guard let reader = reader(node, of: "send", .sendToGear, in: feedback.table) else { return nil }
            reader.missing("gear", help: "name the gear to send the message to")
            reader.missing("message", help: "name the message to send")
            guard let gearNode = reader.value("gear"), let gearName = gearNode.string,
                let gear = manifest.gear(gearName, at: gearNode.span), let node = reader.value("message"),
                let name = node.string
            else { return nil }
            manifest.sends([name], to: gear)
            guard let message = manifest.message(name, of: gear, at: node.span)?.message else { return nil }
            let model = manifest.gears[gear].messages[message]
            let fields = loop.payload(
                reader, of: model.type, named: name, in: "send", at: node.span, declaredAt: model.span)
            return MessageDraft(gear: gear, message: message, table: reader, fields: fields)
        }
    }

    /// The message to the gear of a loop with a key that an entry with `loop` means.
    private func message(toLoop node: TOMLNode) -> MessageDraft? {
        guard let reader = reader(node, of: "send", .sendToLoop, in: feedback.table) else { return nil }
        reader.missing("loop", help: "name the loop with a key, or a `gear` and its `message`")
        reader.missing("key", help: "say which instance gets the event: `key = \"state.NAME\"`")
        reader.missing("event", help: "name the event to send")
        guard let loopNode = reader.value("loop"), let loopName = loopNode.string,
            let gear = manifest.loopGear(loopName, at: loopNode.span), let node = reader.value("event"),
            let name = node.string,
            let message = manifest.event(name, ofLoopWithGear: gear, at: node.span),
            let key = reader.value("key")
        else { return nil }
        let model = manifest.gears[gear].messages[message]
        let ofEvent = RecordType(model.type.fields.dropFirst().map { ($0.name, $0.type) })
        let fields = loop.payload(
            reader, of: ofEvent, named: name, in: "send", at: node.span, declaredAt: model.span)
        // The message has the fields of the event behind the key.
        let placed = fields.compactMap { field, node in model.type.field(field.name).map { ($0, node) } }
        return MessageDraft(
            gear: gear, message: message, table: reader, fields: [(model.type.fields[0], key)] + placed)
    }

    /// The messages of some entries, for each variant of the scope.
    func compile(_ entries: [MessageDraft], in scope: ExpressionScope) -> [[MessageModel]] {
        var result = scope.variants.map { _ in [MessageModel]() }
        for entry in entries {
            let conditions = manifest.conditions(entry.table, "if", in: scope)
            let assignments = assignments(entry.fields, in: scope)
            for index in result.indices {
                result[index].append(
                    MessageModel(
                        gear: entry.gear, message: entry.message, condition: conditions[index],
                        assignments: assignments[index], span: entry.table.node.span))
            }
        }
        return result
    }
}
