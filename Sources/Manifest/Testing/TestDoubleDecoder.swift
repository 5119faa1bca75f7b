import Diagnostics
import Interfaces
import Records

/// Decodes the test doubles for the effects of a loop's feedbacks: `effects` of `[[tests]]`.
struct TestDoubleDecoder {
    private let manifest: ManifestDecoder
    private let table: TableReader
    private let names: LoopNames
    private let index: Int

    /// - Parameter index: the index of the loop in `names`.
    init(_ manifest: ManifestDecoder, _ table: TableReader, _ names: LoopNames, of index: Int) {
        (self.manifest, self.table, self.names, self.index) = (manifest, table, names, index)
    }

    private var loop: LoopModel { names.loops[index] }
    private var collector: DiagnosticCollector { manifest.collector }

    /// The test doubles, in the order of their feedbacks in the manifest.
    func decode() -> [TestDoubleModel] {
        table.named.compactMap { entry -> TestDoubleModel? in
            guard let feedback = names.feedback(entry.key, of: index) else {
                if manifest.faultyFeedbacks[loop.name]?.contains(entry.key) == true { return nil }
                let names = loop.feedbacks.lazy.map(\.name)
                collector.error(
                    .unknownFeedback, "loop `\(loop.name)` has no feedback `\(entry.key)`", at: entry.keySpan,
                    label: names.isEmpty ? "it has no feedbacks" : "it has \(names.quoted)",
                    help: [names.suggestion(for: entry.key)])
                return nil
            }
            return answers(entry, loop.feedbacks[feedback]).map {
                TestDoubleModel(feedback: feedback, answers: $0)
            }
        }.sorted { $0.feedback < $1.feedback }
    }

    private func answers(_ entry: TOMLEntry, _ feedback: FeedbackModel) -> [TestDoubleModel.Answer]? {
        func refuse(_ message: String, _ help: String) -> [TestDoubleModel.Answer]? {
            collector.error(
                .invalidTestDouble, message, at: entry.keySpan,
                related: [Diagnostic.Label(feedback.span, "this feedback")], help: [help])
            return nil
        }
        guard let effect = feedback.effect, let parts = manifest.effectScopes[loop.name]?[entry.key] else {
            return refuse(
                "`\(entry.key)` calls no effect: it only sends messages",
                "remove it: a test of one loop has no gears")
        }
        guard !feedback.isDisabled else {
            return refuse("`\(entry.key)` is disabled and never runs", "remove it")
        }
        if let emissions = parts.emissions {
            return emitted(entry.value, effect, emissions, parts.scope)
        }
        let outcome = Writer(manifest, parts.scope)
        if entry.value.kind == .table {
            read(table.reader(of: entry, .testAnswer), effect, outcome)
        } else if let result = effect.signature.outcome.field("result") {
            outcome.write(entry.value, to: result)
        } else {
            return refuse("`\(effect.name)` returns nothing", "write `{}` for a call without result")
        }
        return outcome.assignments.map(TestDoubleModel.Answer.outcome)
    }

    // MARK: - Effects that return

    private func read(_ answer: TableReader, _ effect: EffectReference, _ outcome: Writer) {
        let type = effect.signature.outcome
        if let node = answer.value("result") {
            if let field = type.field("result") {
                outcome.write(node, to: field)
            } else {
                collector.error(
                    .invalidTestDouble, "`\(effect.name)` returns nothing", at: answer.span(of: "result"),
                    help: ["remove `result`"])
            }
        }
        if let node = answer.value("errno"), let field = type.field("errno") {
            outcome.write(node, to: field)
        }
        guard let node = answer.value("out") else { return }
        if let field = type.field("out") {
            outcome.write(node, to: field)
        } else {
            collector.error(
                .invalidTestDouble, "`args` of this feedback has no out-parameter",
                at: answer.span(of: "out"),
                help: ["remove `out`"])
        }
    }

    // MARK: - Effects that emit

    private func emitted(
        _ node: TOMLNode, _ effect: EffectReference, _ emissions: [EffectScope.Emission],
        _ scope: ExpressionScope
    ) -> [TestDoubleModel.Answer]? {
        var result = scope.variants.map { _ in [TestDoubleModel.Emission]() }
        var failure: SourceSpan?
        for node in node.oneOrSeveral {
            let keys = node.entries.filter { !$0.key.hasPrefix("x-") }
            guard keys.count == 1, let entry = keys.first, entry.value.kind == .table else {
                let example = emissions.first?.key ?? "NAME"
                collector.error(
                    .wrongType,
                    "an emission of `\(effect.name)` must be a table with its name as the only key",
                    at: node.span,
                    help: ["write `{ \(example) = { FIELD = … } }`, a list of these, or `[]` for nothing"])
                return nil
            }
            if let failure {
                collector.error(
                    .conflictingKeys, "an effect cannot emit after it has failed", at: entry.keySpan,
                    related: [Diagnostic.Label(failure, "it fails here")])
                return nil
            }
            let writer = Writer(manifest, scope)
            if let emission = emissions.first(where: { $0.key == entry.key }) {
                writer.writeAll(entry, emission.payload)
                for (index, assignments) in writer.assignments.enumerated() {
                    result[index].append(
                        .payload(emitter: emission.name, type: emission.payload, assignments))
                }
            } else if entry.key == Self.failure {
                failure = entry.keySpan
                writer.write(entry.value, FailureRecord.type)
                for (index, assignments) in writer.assignments.enumerated() {
                    result[index].append(.failure(assignments))
                }
            } else {
                let names = emissions.map(\.key)
                collector.error(
                    .unknownEmitter, "`\(effect.name)` does not emit `\(entry.key)`", at: entry.keySpan,
                    label: names.isEmpty
                        ? "its plugin declares no emitter" : "its plugin declares \(names.quoted)",
                    help: [(names + [Self.failure]).suggestion(for: entry.key)])
                return nil
            }
        }
        return result.map(TestDoubleModel.Answer.emissions)
    }

    /// The key, in a test, of the failure of an effect that emits.
    private static let failure = "error"

    /// Gathers assignments to fields of one record, for each variant of a scope.
    private final class Writer {
        private let manifest: ManifestDecoder
        private let scope: ExpressionScope
        private(set) var assignments: [[Assignment]]

        init(_ manifest: ManifestDecoder, _ scope: ExpressionScope) {
            (self.manifest, self.scope) = (manifest, scope)
            assignments = scope.variants.map { _ in [] }
        }

        /// Adds an assignment to a field; for a record, to each of its fields that the table names.
        func write(_ node: TOMLNode, to field: RecordType.Field) {
            if case .record(let inner) = field.type, node.kind == .table {
                write(node, inner) { $0.within(field) }
                return
            }
            guard let variants = manifest.assignments(to: field, node, in: scope) else { return }
            for index in variants.indices { assignments[index].append(variants[index]) }
        }

        /// Adds assignments to the fields of a record that a table names. `located` gives a field its offset
        /// in the whole record.
        func write(
            _ table: TOMLNode, _ record: RecordType,
            at located: (RecordType.Field) -> RecordType.Field = { $0 }
        ) {
            for entry in table.entries where !entry.key.hasPrefix("x-") {
                if let field = record.field(entry.key) {
                    write(entry.value, to: located(field))
                } else {
                    manifest.unknownField(entry, record)
                }
            }
        }

        /// Adds assignments to all fields of a record. Reports missing fields that are not optional.
        func writeAll(_ entry: TOMLEntry, _ record: RecordType) {
            write(entry.value, record)
            let given = Set(entry.value.entries.map(\.key))
            let missing = record.fields.filter { !$0.type.isOptional && !given.contains($0.name) }.map(\.name)
            guard let first = missing.first else { return }
            manifest.collector.error(
                .missingField, "`\(entry.key)` lacks \(missing.quoted)", at: entry.keySpan,
                help: ["every field that is not optional must be given: `\(first) = …`"])
        }
    }
}
