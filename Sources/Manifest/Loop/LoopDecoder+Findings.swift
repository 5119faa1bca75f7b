import Diagnostics
import Records

/// Checks of all cases and transitions together, after each has been decoded without a fault.
extension LoopDecoder {
    /// Warns of cases that are never entered and of transitions that can never apply. With `exhaustive`,
    /// reports events that are not handled in some case.
    ///
    /// After any other error in the loop or in something that it uses, it reports nothing, because that error
    /// may be the cause.
    func checkTransitions(_ feedbacks: [FeedbackModel]) {
        guard collector.errorCount == manifest.faultsOfLoops else { return }
        // A native reducer may enter any case.
        let entered = table.span(of: "reducer") == nil ? enteredCases : caseNumbers.map { _ in true }
        for (index, span) in states.caseSpans.enumerated() where !entered[index] {
            collector.warning(
                .unreachableCase, "case `\(stateType.cases[index].name)` is never entered", at: span,
                help: ["make it `initial`, or add a transition whose `to` names it and that can apply"])
        }
        var handled = [Bool](repeating: false, count: events.count * caseNumbers.count)
        var handledDelays: Set<DelayModel> = []
        let lifetimes = lifetimes
        for entry in entries {
            switch entry.cause {
            case .events(let indices): check(entry, of: indices, entered, handled: &handled)
            case .delay(let delay):
                check(entry, at: delay, entered, lifetime: lifetimes[delay.stateCase], &handledDelays)
            }
        }
        if table.boolean("exhaustive") == true { checkExhaustive(handled, feedbacks) }
    }

    /// The indices of the cases; a state without cases counts as one.
    private var caseNumbers: Range<Int> { 0..<states.initial.count }

    /// By case: whether transitions can lead there from the initial case.
    private var enteredCases: [Bool] {
        var entered = caseNumbers.map { $0 == states.first }
        var grows = true
        while grows {
            grows = false
            for case (let from, let to?) in entries.map({ ($0.from, $0.to) })
            where !entered[to] && (from?.contains { entered[$0] } ?? true) {
                entered[to] = true
                grows = true
            }
        }
        return entered
    }

    /// Checks an entry of `on`. `handled` marks each event and case in which an earlier entry always applies.
    private func check(
        _ entry: TransitionEntry, of events: [Int], _ entered: [Bool], handled: inout [Bool]
    ) {
        let cases = entry.from ?? Array(caseNumbers)
        var (isOpen, isEntered) = (false, false)
        for event in events {
            for index in cases {
                let pair = event * caseNumbers.count + index
                isEntered = isEntered || entered[index]
                isOpen = isOpen || entered[index] && !handled[pair]
                if !entry.isConditional { handled[pair] = true }
            }
        }
        guard !isOpen, !events.isEmpty else { return }
        neverApplies(
            entry,
            because: isEntered
                ? "an earlier transition without `if` always applies" : "its case is never entered")
    }

    /// Checks an entry of `after`. `handled` holds the delays at which an earlier entry always applies.
    private func check(
        _ entry: TransitionEntry, at delay: DelayModel, _ entered: [Bool], lifetime: Duration?,
        _ handled: inout Set<DelayModel>
    ) {
        if !entered[delay.stateCase] {
            neverApplies(entry, because: "its case is never entered")
        } else if let lifetime, lifetime < delay.duration {
            neverApplies(entry, because: "the case never lasts that long")
        } else if handled.contains(delay) {
            neverApplies(entry, because: "an earlier transition without `if` always applies")
        }
        if !entry.isConditional { handled.insert(delay) }
    }

    /// By case: the longest time that the case can last.
    private var lifetimes: [Int: Duration] {
        var lifetimes: [Int: Duration] = [:]
        for entry in entries where !entry.isConditional && entry.to != nil {
            guard case .delay(let delay) = entry.cause else { continue }
            lifetimes[delay.stateCase] = min(delay.duration, lifetimes[delay.stateCase] ?? delay.duration)
        }
        return lifetimes
    }

    private func neverApplies(_ entry: TransitionEntry, because reason: String) {
        collector.warning(.neverApplies, "this transition never applies: \(reason)", at: entry.span)
    }

    private func checkExhaustive(_ handled: [Bool], _ feedbacks: [FeedbackModel]) {
        let named = Set(feedbacks.filter { !$0.isDisabled }.flatMap(\.trigger.events))
        for index in caseNumbers {
            let missing = events.indices.filter {
                !handled[$0 * caseNumbers.count + index] && !named.contains($0)
            }
            guard !missing.isEmpty else { continue }
            let names = missing.map { events[$0].name }.quoted
            let whose = hasCases ? "case `\(stateType.cases[index].name)`" : "`on`"
            collector.error(
                .notExhaustive, "\(whose) has no transition without `if` for \(names)",
                at: hasCases ? states.caseSpans[index] : events[missing[0]].span,
                related: table.span(of: "exhaustive").map { [Diagnostic.Label($0, "required here")] } ?? [],
                help: [
                    "add an entry without `if` to `on`, such as `\(events[missing[0]].name) = { ignore = true }`"
                ])
        }
    }
}
