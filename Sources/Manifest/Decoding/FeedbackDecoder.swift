import Diagnostics
import Expressions
import Interfaces
import Records

/// Decodes one feedback of a loop.
final class FeedbackDecoder {
    let loop: LoopDecoder
    let table: TableReader
    let name: String

    init(_ loop: LoopDecoder, _ table: TableReader, name: String) {
        (self.loop, self.table, self.name) = (loop, table, name)
    }

    var manifest: ManifestDecoder { loop.manifest }
    var collector: DiagnosticCollector { manifest.collector }

    /// The feedback; nil when it is at fault in a way that leaves no model of it.
    func decode() -> FeedbackModel? {
        table.missing("effect", help: "name what it calls, such as `effect = \"std:print\"`")
        checkExecutor()
        let trigger = decodeTrigger()
        let emissions = EmissionDecoder(self)
        let drafts = emissions.drafts()
        let node = table.value("effect")
        let effect = node.flatMap { node in node.string.flatMap { manifest.effect(node, $0) } }
        // Without its event nothing that names it can be understood.
        guard let trigger else { return nil }
        var scope = loop.scope.withTime
        if case .events(let indices, _) = trigger {
            scope = scope.with(events: indices.map { loop.events[$0].type })
        }
        let conditions = manifest.conditions(table, "when", in: scope)
        let nodes = arguments()
        guard let node, let effect, let signature = signature(of: effect, nodes, at: node.span) else {
            // Expressions are checked even when nobody knows what their values are for.
            for case .expression(let node) in nodes {
                if let text = manifest.expressionText(node) { _ = manifest.compile(text, in: scope) { _ in } }
            }
            return nil
        }
        let arguments = decodeArguments(nodes, signature, in: scope)
        let outcomeScope = scope.with(outcome: signature.outcome)
        let failures = failures(of: effect, in: outcomeScope)
        var batches = emissions.batches(drafts, of: effect, in: scope, after: outcomeScope)
        emissions.addLoopEvents(of: effect, in: scope, to: &batches)
        let variants = scope.variants.indices.map { index in
            FeedbackVariant(
                event: trigger.events.isEmpty ? nil : trigger.events[index], condition: conditions[index],
                arguments: arguments.map { $0[index] }, failure: failures[index], batches: batches[index])
        }
        let reference = EffectReference(
            provider: effect.provider, name: effect.name, description: effect.description,
            signature: signature, isEmitting: effect.function.isEmitting, span: node.span)
        return FeedbackModel(
            name: name, effect: reference, trigger: trigger, executor: .loop, timing: .none,
            variants: variants, isDisabled: table.boolean("disabled") ?? false, span: table.keySpan)
    }

    private func checkExecutor() {
        guard let executor = table.word("executor", as: FeedbackExecutor.self), executor != .loop,
            let node = table.value("executor")
        else { return }
        collector.error(
            .notSupportedYet, "`executor = \"\(executor.rawValue)\"` is not supported yet", at: node.span)
    }

    /// Nil when an event of `on` is at fault.
    private func decodeTrigger() -> FeedbackTrigger? {
        var trigger: TriggerWord?
        if let node = table.value("trigger"), node.kind == .table {
            collector.error(.notSupportedYet, "`trigger = { each = … }` is not supported yet", at: node.span)
        } else {
            trigger = table.word("trigger", as: TriggerWord.self)
        }
        let strategy = table.word("strategy", as: FeedbackTrigger.Strategy.self)
        if let names = table.strings("on") {
            if let span = table.span(of: "trigger") {
                conflict("`on` and `trigger` exclude one another", at: span, with: "on")
            }
            if strategy == .cancelOnNewState, let node = table.value("strategy") {
                conflict(
                    "`cancel-on-new-state` does not go with `on`", at: node.span, with: "on",
                    help: "`cancel-on-new-match` ends a run when the next event comes")
            }
            var indices: [Int] = []
            for (name, node) in names {
                guard let index = loop.event(name, at: node.span) else { continue }
                if indices.contains(index) {
                    collector.error(.definedTwice, "event `\(name)` is named twice in `on`", at: node.span)
                } else {
                    indices.append(index)
                }
            }
            if names.isEmpty, let node = table.value("on"), node.oneOrSeveral.isEmpty {
                collector.error(
                    .missingField, "`on` names no event", at: node.span,
                    help: ["leave `on` out, or name an event"])
            }
            return indices.isEmpty ? nil : .events(indices, strategy ?? .queue)
        }
        if trigger == .state { return .state(strategy ?? .cancelOnNewState) }
        if strategy != nil, table.value("trigger")?.kind != .table, let span = table.span(of: "strategy") {
            conflict(
                "`strategy` needs `on` or `trigger = \"state\"`", at: span, with: "trigger",
                help: "without them a change of the arguments ends the run")
        }
        return .change
    }

    private func conflict(_ message: String, at span: SourceSpan, with key: String, help: String? = nil) {
        collector.error(
            .conflictingKeys, message, at: span,
            related: table.span(of: key).map { [Diagnostic.Label($0)] } ?? [],
            help: [help])
    }

    /// What the effect's plugin or `fails-if` calls a failure, for each variant.
    private func failures(of effect: ManifestDecoder.Effect, in scope: ExpressionScope) -> [Condition?] {
        let none = [Condition?](repeating: nil, count: scope.variants.count)
        if table.value("fails-if") != nil {
            guard !effect.function.isEmitting else {
                collector.error(
                    .conflictingKeys, "`fails-if` is not for `\(effect.name)`, which emits",
                    at: table.span(of: "fails-if"),
                    help: [
                        "an effect that emits may go on after it returned, and says failure through `spin_fail`"
                    ])
                return none
            }
            return manifest.conditions(table, "fails-if", in: scope)
        }
        guard let own = effect.description?.failsIf, !own.isEmpty else { return none }
        let file = SourceFile(name: "`\(effect.name)`", text: own)
        let expression = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
        let (conditions, faults) = manifest.trying { manifest.conditions(expression, in: scope) }
        for fault in faults { report(fault, inFailureTest: own, of: effect) }
        return conditions ?? none
    }

    /// A fault in what stands in the plugin and not in the manifest: it is shown where the manifest names it.
    private func report(
        _ fault: Diagnostic, inFailureTest text: String, of effect: ManifestDecoder.Effect
    ) {
        collector.add(
            Diagnostic(
                fault.severity, fault.code, "failure test of effect `\(effect.name)`: \(fault.message)",
                at: table.value("effect")?.span,
                related: effect.plugin.map { [Diagnostic.Label($0.librarySpan, "this library")] } ?? [],
                notes: ["the test that the library gives is `\(text)`"],
                help: fault.help + [
                    "`SPIN_EFFECT_CHECKED` takes the documentation, then the test, such as `\"result < 0\"`"
                ]))
    }
}
