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

    /// The feedback; nil after a report that leaves too little for a model.
    func decode() -> FeedbackModel? {
        let sendsOnly = table.span(of: "effect") == nil && table.span(of: "send") != nil
        if sendsOnly {
            checkKeysOfEffects()
        } else {
            table.missing(
                "effect",
                help: "name the function to call, such as `effect = \"std:print\"`, or use `send`")
            checkKeysOfJournal()
        }
        let executor = table.word("executor", as: FeedbackExecutor.self) ?? .loop
        let timing = decodeTiming()
        let trigger = decodeTrigger()
        let emissions = EmissionDecoder(self)
        let recovery = decodeRecovery(emissions)
        let effect = table.value("effect").flatMap { node in
            node.string.flatMap { manifest.effect(node, $0) }
        }
        // Expressions that use an event or a case cannot be checked without it.
        guard let trigger, var scope = loop.scope(ofFeedback: table) else { return nil }
        if case .events(let indices, _) = trigger {
            scope = scope.with(events: indices.map { loop.events[$0] })
        }
        var each: Each?
        if case .each(let table) = trigger {
            guard let decoded = decodeEach(table, in: scope) else { return nil }
            each = decoded
            scope = scope.with(item: decoded.item.type)
        }
        let conditions = manifest.conditions(table, "when", in: scope)
        var parts = Parts(scope)
        if let effect {
            checkInstance(effect)
            checkTimeout(effect, executor)
            guard decode(effect, emissions, in: scope, to: &parts) else { return nil }
        } else if sendsOnly {
            parts.batches = emissions.returned(in: scope)
        } else {
            check(arguments(of: nil, emissions), in: scope)
            return nil
        }
        let onError = emissions.failed(in: scope)
        let events = trigger.model(each).events
        let variants = scope.variants.enumerated().map { index, variant in
            FeedbackVariant(
                event: variant.event.map { events[$0] }, case: variant.stateCase,
                condition: conditions[index],
                each: each?.models[index], arguments: parts.arguments.map { $0[index] },
                callbacks: parts.callbacks.map { $0[index] }, failure: parts.failures[index],
                batches: parts.batches[index], onError: onError[index])
        }
        return FeedbackModel(
            name: name, effect: parts.effect, trigger: trigger.model(each), executor: executor,
            timing: timing, variants: variants, isDisabled: table.boolean("disabled") ?? false,
            isDurable: table.boolean("durable") ?? true, recovery: recovery,
            declared: DeclaredValue(table.node), span: table.keySpan)
    }

    /// The parts of a feedback that depend on its effect, for each variant of its scope.
    private struct Parts {
        var effect: EffectReference?
        var arguments: [[ArgumentModel]] = []
        var callbacks: [[CallbackModel]] = []
        var failures: [Condition?]
        var batches: [[EmissionBatch]]

        init(_ scope: ExpressionScope) {
            failures = scope.variants.map { _ in nil }
            batches = scope.variants.map { _ in [] }
        }
    }

    /// Decodes the parts that depend on the effect; false if it cannot be called with these arguments.
    private func decode(
        _ effect: ManifestDecoder.Effect, _ emissions: EmissionDecoder, in scope: ExpressionScope,
        to parts: inout Parts
    ) -> Bool {
        let nodes = arguments(of: effect, emissions)
        guard let node = table.value("effect"), let call = call(of: effect, nodes, at: node.span),
            let signature = manifest.calls[call]?.signature
        else {
            check(nodes, in: scope)
            return false
        }
        parts.arguments = decodeArguments(nodes, signature, in: scope.withRun)
        parts.callbacks = decodeCallbacks(nodes, signature, emissions, in: scope.withRun)
        let outcome = scope.with(outcome: signature.outcome)
        parts.failures = failures(of: effect, call, in: outcome)
        if effect.function.isEmitting {
            parts.batches = emissions.emitted(by: effect, in: scope)
            emissions.addLoopEvents(of: effect, in: scope, to: &parts.batches)
        } else {
            if table.value("emits") != nil, let span = table.span(of: "emits") {
                conflict(
                    "`emits` is for effects that emit, but `\(effect.name)` only returns", at: span,
                    with: "effect",
                    help: "use `emit`, which sends events when it returns: `emit = { event = \"NAME\" }`")
            }
            parts.batches = emissions.returned(in: outcome)
        }
        manifest.effectScopes[loop.name, default: [:]][name] = EffectScope(effect, of: loop, scope)
        parts.effect = EffectReference(
            provider: effect.provider, name: effect.name, description: effect.description,
            signature: signature,
            handles: effect.plugin?.release.map { HandleUse(of: signature, release: $0) },
            isEmitting: effect.function.isEmitting, span: node.span)
        return true
    }

    /// Checks the expressions of `args` alone, when the types of the parameters are unknown.
    private func check(_ arguments: [Argument], in scope: ExpressionScope) {
        for node in arguments.compactMap(\.node) {
            if let text = manifest.expressionText(node) {
                _ = manifest.compile(text, in: scope.withRun) { _ in }
            }
        }
    }

    /// The failure test for each variant: `fails-if`, or else the one that the plugin declares.
    private func failures(
        of effect: ManifestDecoder.Effect, _ call: EffectCall.Key, in scope: ExpressionScope
    ) -> [Condition?] {
        let none = [Condition?](repeating: nil, count: scope.variants.count)
        if table.value("fails-if") != nil {
            guard !effect.function.isEmitting else {
                collector.error(
                    .conflictingKeys, "`fails-if` cannot test `\(effect.name)`, which emits",
                    at: table.span(of: "fails-if"),
                    help: [
                        "remove `fails-if`: an effect that emits reports failure with `spin_fail`"
                    ])
                return none
            }
            return manifest.conditions(table, "fails-if", in: scope)
        }
        guard let own = effect.description?.failsIf, !own.isEmpty else { return none }
        if let known = manifest.calls[call]?.failure { return none.map { _ in known } }
        let file = SourceFile(name: "`\(effect.name)`", text: own)
        let expression = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
        let (conditions, faults) = manifest.trying { manifest.conditions(expression, in: scope) }
        for fault in faults { report(fault, inFailureTest: own, of: effect) }
        if let test = conditions?.first, test.reads.slots == [FrameSlot.call.rawValue] {
            manifest.calls[call]?.failure = test
        }
        return conditions ?? none
    }

    /// Reports a fault in a text of the plugin. The span is the effect's name in the manifest, because the
    /// text is not in it.
    private func report(
        _ fault: Diagnostic, inFailureTest text: String, of effect: ManifestDecoder.Effect
    ) {
        collector.add(
            Diagnostic(
                fault.severity, fault.code, "failure test of effect `\(effect.name)`: \(fault.message)",
                at: table.value("effect")?.span,
                related: effect.plugin.map { [Diagnostic.Label($0.librarySpan, "this library")] } ?? [],
                notes: ["the library declares the test `\(text)`"],
                help: fault.help + [
                    "`SPIN_EFFECT_CHECKED` takes the documentation, then the test, such as `\"result < 0\"`"
                ]))
    }
}
