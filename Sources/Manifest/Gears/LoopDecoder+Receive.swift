import Diagnostics
import Records

extension LoopDecoder {
    /// Decodes `receive`: for each gear and message an event, or a list of events.
    func decodeReceives(_ table: TableReader) -> [ReceiveModel] {
        var receives: [ReceiveModel] = []
        for entry in table.named {
            let gear = manifest.gear(entry.key, at: entry.keySpan, help: table.misplacement(of: entry))
            let messages = table.reader(of: entry, .receivedGear)
            if let gear { manifest.receives(messages.refused, from: gear) }
            for message in messages.named {
                // The events are checked even if the message is unknown.
                let reference = gear.flatMap { gear in
                    manifest.message(
                        message.key, of: gear, at: message.keySpan, help: messages.misplacement(of: message))
                }
                if let gear { manifest.receives([message.key], from: gear) }
                for node in message.value.oneOrSeveral {
                    guard node.kind == .table else {
                        messages.wrongType(node, of: message.key, expected: "a table")
                        continue
                    }
                    let keySpan = node.isInline ? node.span : message.keySpan
                    let entry = TOMLEntry(key: message.key, keySpan: keySpan, value: node)
                    if let receive = decodeReceive(
                        messages.reader(of: entry, keyKind == nil ? .received : .receivedByKey), reference)
                    {
                        receives.append(receive)
                    }
                }
            }
        }
        return receives
    }

    private func decodeReceive(
        _ table: TableReader, _ reference: ManifestDecoder.MessageReference?
    ) -> ReceiveModel? {
        table.missing("event", help: "name the event to make of the message")
        guard let node = table.value("event"), let name = node.string,
            let event = event(name, at: node.span)
        else { return nil }
        let model = events[event]
        let fields = payload(
            table, of: model.type, named: name, in: "receive", at: node.span, declaredAt: model.span)
        guard let reference else { return nil }
        // The state is not in scope: messages become events in batches, before the queued events are reduced.
        let message = manifest.gears[reference.gear].messages[reference.message]
        let scope = ExpressionScope(config: manifest.config.type).withTime.with(message: message.type)
        var key: Assignment?
        if let kind = keyKind {
            table.missing("key", help: "say which instance gets the event: `key = \"message.NAME\"`")
            key = table.value("key").flatMap {
                manifest.assignments(to: KeyModel.record(of: kind).fields[0], $0, in: scope)?[0]
            }
        }
        return ReceiveModel(
            gear: reference.gear, message: reference.message, event: event,
            condition: manifest.conditions(table, "if", in: scope)[0], key: key,
            assignments: fields.compactMap { manifest.assignments(to: $0.field, $0.node, in: scope)?[0] },
            span: table.keySpan)
    }

    /// The fields that a table gives to an event or a message. Reports unknown fields, and missing fields
    /// that are not optional.
    ///
    /// - Parameters:
    ///   - name: the name of the event or message.
    ///   - key: the key whose value the table is.
    ///   - span: the span of the name.
    func payload(
        _ table: TableReader, of record: RecordType, named name: String, in key: String,
        at span: SourceSpan, declaredAt declaration: SourceSpan
    ) -> [(field: RecordType.Field, node: TOMLNode)] {
        let fields = fields(table, of: record, named: name)
        let given = Set(table.node.entries.map(\.key))
        let missing = record.fields.filter { !$0.type.isOptional && !given.contains($0.name) }
        if !missing.isEmpty {
            collector.error(
                .missingField, "`\(key)` of `\(name)` lacks \(missing.map(\.name).quoted)", at: span,
                related: [Diagnostic.Label(declaration, "declared here")],
                help: ["every field that is not optional must be given: `\(missing[0].name) = …`"])
        }
        return fields
    }
}
