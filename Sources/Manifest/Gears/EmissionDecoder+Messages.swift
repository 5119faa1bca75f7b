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
            guard let reader = reader(node, of: "send", .send, in: feedback.table) else { return nil }
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
