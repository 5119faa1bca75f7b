import Diagnostics
import Expressions
import Records

/// The names for values of a loop: the entries of `let`.
struct LetNames {
    /// One form of an entry: for one event and one case, or for what several of them share.
    struct Form: Hashable {
        let place: SourceSpan
        let event: String?
        let stateCase: Int?
        let isCommon: Bool
    }

    /// What each form was compiled to. An entry that several transitions share has one value in a step.
    var bindings: [Form: Scope.Binding] = [:]
    /// The entries without a fault, in the order in which they are read.
    var entries: [TOMLEntry] = []
}

extension LoopDecoder {
    /// A scope with the names of a `let`. Each of them may use those above it.
    ///
    /// - Parameter events: what the scope's variants refer to; nil without events.
    func adding(
        _ table: TableReader?, to scope: ExpressionScope, events: [EventModel]? = nil
    ) -> ExpressionScope {
        var scope = scope
        for entry in table?.named ?? [] {
            guard !manifest.faultyLets.contains(entry.keySpan) else { continue }
            guard let text = letText(entry, in: scope) else {
                manifest.faultyLets.insert(entry.keySpan)
                continue
            }
            let forms = scope.all.map { variant, isCommon in
                LetNames.Form(
                    place: entry.keySpan, event: variant.event.flatMap { events?[$0].name },
                    stateCase: variant.stateCase, isCommon: isCommon)
            }
            if forms.contains(where: { lets.bindings[$0] == nil }) {
                var compiled: [Expression] = []
                let isWhole =
                    manifest.compile(text, in: scope) { expression throws(TextFault) in
                        compiled.append(expression)
                    } != nil
                guard isWhole else {
                    manifest.faultyLets.insert(entry.keySpan)
                    manifest.faultyUses.insert(entry.key)
                    continue
                }
                for (form, expression) in zip(forms, compiled) where lets.bindings[form] == nil {
                    lets.bindings[form] = Scope.Binding(
                        name: entry.key, expression, source: text.text, slot: FrameSlot.bindings.rawValue,
                        number: lets.bindings.count)
                }
                if !lets.entries.contains(where: { $0.keySpan == entry.keySpan }) {
                    lets.entries.append(entry)
                }
            }
            let bindings = forms.map { lets.bindings[$0]! }
            scope = scope.with(bindings: bindings)
        }
        return scope
    }

    /// The expression of an entry; nil after a report.
    private func letText(
        _ entry: TOMLEntry, in scope: ExpressionScope
    ) -> ManifestDecoder.ExpressionText? {
        guard NameRule.checkField(entry, collector) else { return nil }
        if scope.all.contains(where: { variant, _ in variant.scope.names.contains(entry.key) }) {
            collector.error(
                .definedTwice, "`\(entry.key)` is the name of something else here", at: entry.keySpan,
                help: ["choose another name: expressions could not say which of the two they mean"])
            return nil
        }
        if stateType.field(entry.key) != nil {
            collector.error(
                .definedTwice, "`\(entry.key)` is a field of the state, too", at: entry.keySpan,
                help: [
                    "choose another name: it would be easy to take `\(entry.key)` for `state.\(entry.key)`"
                ])
            return nil
        }
        return manifest.expressionText(entry.value)
    }

    /// Warns of names that no expression uses.
    func checkLets() {
        for entry in lets.entries {
            let numbers = lets.bindings.filter { $0.key.place == entry.keySpan }.map(\.value.number)
            guard manifest.usedBindings.isDisjoint(with: numbers) else { continue }
            collector.warning(
                .unusedName, "`\(entry.key)` is never used", at: entry.keySpan,
                help: ["remove it, or use it in an expression"])
        }
    }
}
