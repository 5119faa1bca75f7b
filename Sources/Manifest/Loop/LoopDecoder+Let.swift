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
    /// By the place of an entry, the numbers of its forms.
    var numbers: [SourceSpan: Set<Int>] = [:]
}

extension LoopDecoder {
    /// A scope with the names of a `let`. Each of them may use those above it.
    ///
    /// - Parameter events: what the scope's variants refer to; nil without events.
    func adding(
        _ table: TableReader?, to scope: ExpressionScope, events: [EventModel]? = nil
    ) -> ExpressionScope {
        var scope = scope
        var taken = Set(scope.all.flatMap(\.variant.scope.names))
        let entries = table?.named ?? []
        for (index, entry) in entries.enumerated() where !manifest.faultyLets.contains(entry.keySpan) {
            let forms = scope.all.map { variant, isCommon in
                LetNames.Form(
                    place: entry.keySpan, event: variant.event.flatMap { events?[$0].name },
                    stateCase: variant.stateCase, isCommon: isCommon)
            }
            // `cases` and events choose what a transition's names can use; nothing does for those of the loop.
            var own = events == nil ? scope.withoutChoice : scope
            own.below = entries[index...]
            guard let text = letText(entry, taken), compile(entry, text, as: forms, in: own)
            else {
                manifest.faultyLets.insert(entry.keySpan)
                manifest.faultyNames.insert(entry.key)
                continue
            }
            scope = scope.with(bindings: forms.map { lets.bindings[$0]! })
            taken.insert(entry.key)
        }
        return scope
    }

    /// Compiles those forms of an entry that are not compiled yet. Reports a fault once, and returns false.
    private func compile(
        _ entry: TOMLEntry, _ text: ManifestDecoder.ExpressionText, as forms: [LetNames.Form],
        in scope: ExpressionScope
    ) -> Bool {
        guard forms.contains(where: { lets.bindings[$0] == nil }) else { return true }
        var compiled: [Expression] = []
        let isWhole =
            manifest.compile(text, in: scope) { expression throws(TextFault) in compiled.append(expression) }
            != nil
        guard isWhole else { return false }
        if lets.numbers[entry.keySpan] == nil { lets.entries.append(entry) }
        for (form, expression) in zip(forms, compiled) where lets.bindings[form] == nil {
            let number = lets.bindings.count
            lets.bindings[form] = Scope.Binding(
                name: entry.key, expression, source: text.text, slot: FrameSlot.bindings.rawValue,
                number: number)
            lets.numbers[entry.keySpan, default: []].insert(number)
        }
        return true
    }

    /// The expression of an entry; nil after a report.
    ///
    /// - Parameter taken: the names of the scope.
    private func letText(_ entry: TOMLEntry, _ taken: Set<String>) -> ManifestDecoder.ExpressionText? {
        guard NameRule.checkField(entry, collector, as: "a value") else { return nil }
        if taken.contains(entry.key) || ExpressionScope.names.contains(entry.key)
            || Scope.names.contains(entry.key)
        {
            collector.error(
                .definedTwice, "`\(entry.key)` is the name of something else in expressions",
                at: entry.keySpan, help: ["choose another name"])
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
            guard manifest.usedBindings.isDisjoint(with: lets.numbers[entry.keySpan] ?? []) else { continue }
            collector.warning(
                .unusedName, "`\(entry.key)` is never used", at: entry.keySpan,
                help: ["remove it, or use it in an expression"])
        }
    }
}
