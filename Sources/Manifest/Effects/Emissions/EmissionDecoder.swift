import Diagnostics
import Interfaces
import Records

/// Decodes the events (`emit`, `emits`, `on-error`) and messages (`send`) that a feedback sends.
final class EmissionDecoder {
    let feedback: FeedbackDecoder
    private(set) var drafts = Drafts()
    /// The number of errors before this feedback's.
    let errorsBefore: Int

    /// Reads the entries of `feedback`, and reports their faults as far as these do not depend on the effect.
    init(_ feedback: FeedbackDecoder) {
        self.feedback = feedback
        errorsBefore = feedback.collector.errorCount
        let table = feedback.table
        drafts.emit = table.value("emit").map { entries($0, of: "emit", in: table) }
        drafts.onError = table.value("on-error").map { entries($0, of: "on-error", in: table) }
        drafts.send = table.value("send").map(messages)
        guard let emits = table.table("emits", .emits) else { return }
        for name in emits.refused { drafts.faulty.insert(name) }
        for entry in emits.named {
            drafts.emits.append(
                Drafts.Named(
                    name: entry.key, span: entry.keySpan,
                    entries: entries(entry.value, of: entry.key, in: emits)))
        }
    }

    var loop: LoopDecoder { feedback.loop }
    var manifest: ManifestDecoder { feedback.manifest }

    /// The entries before their expressions are compiled; nil or empty for an absent key.
    struct Drafts {
        /// The events of one emission.
        struct Named {
            let name: String
            let span: SourceSpan
            let entries: [Draft]
        }

        var emit: [Draft]?
        var emits: [Named] = []
        /// Emissions whose entry in `emits` has a fault.
        var faulty: Set<String> = []
        var onError: [Draft]?
        var send: [MessageDraft]?
    }

    /// An event to send.
    struct Draft {
        fileprivate let event: Int
        fileprivate let table: TableReader
        fileprivate let fields: [(field: RecordType.Field, node: TOMLNode)]
    }

    /// The entries of a key of `table`: a table or a list of tables.
    func entries(_ node: TOMLNode, of key: String, in table: TableReader) -> [Draft] {
        node.oneOrSeveral.compactMap { node -> Draft? in
            guard let reader = reader(node, of: key, .emission, in: table) else { return nil }
            reader.missing("event", help: "name the event to send")
            guard let name = reader.value("event"), let text = name.string,
                let event = loop.event(text, at: name.span)
            else { return nil }
            let model = loop.events[event]
            let fields = loop.payload(
                reader, of: model.type, named: text, in: key, at: name.span, declaredAt: model.span)
            return Draft(event: event, table: reader, fields: fields)
        }
    }

    /// One of the tables of a key; nil after a report.
    func reader(
        _ node: TOMLNode, of key: String, _ fields: ManifestTable, in table: TableReader
    ) -> TableReader? {
        guard node.kind == .table else {
            table.wrongType(node, of: key, expected: "a table")
            return nil
        }
        let keySpan = node.isInline ? node.span : table.span(of: key) ?? node.span
        return TableReader(
            node, fields, path: table.path(of: key), keySpan: keySpan, parent: table,
            collector: manifest.collector)
    }

    /// The batches for the return of an effect, or for a feedback without effect: at most one for each
    /// variant of `scope`.
    func returned(in scope: ExpressionScope) -> [[EmissionBatch]] {
        guard drafts.emit != nil || drafts.send != nil else { return scope.variants.map { _ in [] } }
        let events = compile(drafts.emit ?? [], in: scope)
        let messages = compile(drafts.send ?? [], in: scope)
        return zip(events, messages).map { [EmissionBatch(emitter: nil, emissions: $0, messages: $1)] }
    }

    /// The batches for a failed run, for each variant of `scope`; nil elements without `on-error`.
    func failed(in scope: ExpressionScope) -> [EmissionBatch?] {
        guard let entries = drafts.onError else { return scope.variants.map { _ in nil } }
        return compile(entries, in: scope.with(error: FailureRecord.type)).map {
            EmissionBatch(emitter: nil, emissions: $0)
        }
    }

    /// The events of some entries, for each variant of the scope.
    func compile(_ entries: [Draft], in scope: ExpressionScope) -> [[EmissionModel]] {
        var result = scope.variants.map { _ in [EmissionModel]() }
        for entry in entries {
            let conditions = manifest.conditions(entry.table, "if", in: scope)
            let assignments = assignments(entry.fields, in: scope)
            for index in result.indices {
                result[index].append(
                    EmissionModel(
                        event: entry.event, condition: conditions[index], assignments: assignments[index],
                        span: entry.table.node.span))
            }
        }
        return result
    }

    /// The assignments to the fields of a payload, for each variant of the scope.
    func assignments(
        _ fields: [(field: RecordType.Field, node: TOMLNode)], in scope: ExpressionScope
    ) -> [[Assignment]] {
        var result = scope.variants.map { _ in [Assignment]() }
        for (field, node) in fields {
            guard let variants = manifest.assignments(to: field, node, in: scope) else { continue }
            for index in variants.indices { result[index].append(variants[index]) }
        }
        return result
    }
}
