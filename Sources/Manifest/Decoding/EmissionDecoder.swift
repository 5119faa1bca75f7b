import Diagnostics
import Interfaces
import Records

/// Decodes what a feedback emits.
final class EmissionDecoder {
    private let feedback: FeedbackDecoder

    init(_ feedback: FeedbackDecoder) { self.feedback = feedback }

    var loop: LoopDecoder { feedback.loop }
    private var manifest: ManifestDecoder { feedback.manifest }

    /// An entry of `emit` before its expressions are compiled.
    struct Draft {
        fileprivate let event: Int
        fileprivate let table: TableReader
        fileprivate let fields: [(field: RecordType.Field, node: TOMLNode)]
    }

    /// The entries of `emit`: what can be said about them without knowing the effect.
    func drafts() -> [Draft] { feedback.table.value("emit")?.oneOrSeveral.compactMap(draft) ?? [] }

    /// The batches for each variant of `scope`; `outcome` is the same with what the call answered.
    func batches(
        _ drafts: [Draft], of effect: ManifestDecoder.Effect, in scope: ExpressionScope,
        after outcome: ExpressionScope
    ) -> [[EmissionBatch]] {
        var batches = scope.variants.map { _ in [EmissionBatch]() }
        guard let node = feedback.table.value("emit") else {
            if effect.function.isEmitting {
                for emitter in effect.emitters { addEqual(emitter, in: scope, to: &batches) }
            }
            return batches
        }
        guard effect.function.isEmitting else {
            let variants = compile(drafts, in: outcome)
            for index in variants.indices {
                batches[index].append(EmissionBatch(emitter: nil, emissions: variants[index]))
            }
            return batches
        }
        guard !effect.emitters.isEmpty else {
            manifest.collector.error(
                .conflictingKeys, "`\(effect.name)` emits nothing: its plugin describes no emitter",
                at: node.span,
                help: ["declare what it emits with `SPIN_EMITTER`, or leave `emit` out"])
            return batches
        }
        // `emit` is for every emission that it fits; if it fits none, the faults of the nearest are shown.
        var fewest: [Diagnostic]?
        var fits = false
        for emitter in effect.emitters {
            let (variants, faults) = manifest.trying {
                compile(drafts, in: scope.with(value: emitter.payload))
            }
            if faults.contains(where: { $0.severity == .error }) {
                if faults.count < fewest?.count ?? Int.max { fewest = faults }
                continue
            }
            fits = true
            for index in variants.indices {
                batches[index].append(EmissionBatch(emitter: emitter.name, emissions: variants[index]))
            }
        }
        if !fits, let fewest { for fault in fewest { manifest.collector.add(fault) } }
        return batches
    }

    private func draft(_ node: TOMLNode) -> Draft? {
        let table = feedback.table
        guard node.kind == .table else {
            table.wrongType(node, of: "emit", expected: "a table")
            return nil
        }
        let keySpan = node.isInline ? node.span : table.span(of: "emit") ?? node.span
        let reader = TableReader(
            node, .emission, path: table.path(of: "emit"), keySpan: keySpan, parent: table,
            collector: manifest.collector)
        reader.missing("event", help: "name the event that it sends")
        guard let name = reader.value("event"), let text = name.string,
            let event = loop.event(text, at: name.span)
        else { return nil }
        let model = loop.events[event]
        let fields = loop.payload(
            reader, of: model.type, named: text, in: "emit", at: name.span, declaredAt: model.span)
        return Draft(event: event, table: reader, fields: fields)
    }

    private func compile(_ drafts: [Draft], in scope: ExpressionScope) -> [[EmissionModel]] {
        var result = scope.variants.map { _ in [EmissionModel]() }
        for draft in drafts {
            let conditions = manifest.conditions(draft.table, "if", in: scope)
            var assignments = scope.variants.map { _ in [Assignment]() }
            for (field, node) in draft.fields {
                guard let variants = manifest.assignments(to: field, node, in: scope) else { continue }
                for index in variants.indices { assignments[index].append(variants[index]) }
            }
            for index in result.indices {
                result[index].append(
                    EmissionModel(
                        event: draft.event, condition: conditions[index], assignments: assignments[index],
                        span: draft.table.node.span))
            }
        }
        return result
    }

    /// Without `emit`, an emission becomes the event of equal name and fields.
    private func addEqual(
        _ emitter: EmitterDescription, in scope: ExpressionScope, to batches: inout [[EmissionBatch]]
    ) {
        guard
            let event = loop.events.firstIndex(where: {
                $0.name == emitter.name && $0.type == emitter.payload
            })
        else { return }
        addCopy(of: emitter.payload, emittedAs: emitter.name, to: event, in: scope, to: &batches)
    }

    /// A batch for emissions of one name that are an event of the same fields.
    func addCopy(
        of payload: RecordType, emittedAs name: String, to event: Int, in scope: ExpressionScope,
        to batches: inout [[EmissionBatch]]
    ) {
        let scope = scope.with(value: payload)
        var assignments = scope.variants.map { _ in [Assignment]() }
        for field in payload.fields {
            let file = SourceFile(name: "`\(name)`", text: "value.\(field.name)")
            let text = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
            guard let variants = manifest.assignments(to: field, text, in: scope) else { return }
            for index in variants.indices { assignments[index].append(variants[index]) }
        }
        for index in batches.indices {
            let emission = EmissionModel(
                event: event, condition: nil, assignments: assignments[index], span: feedback.table.keySpan)
            batches[index].append(EmissionBatch(emitter: name, emissions: [emission]))
        }
    }
}
