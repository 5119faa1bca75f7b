import Diagnostics
import Records

/// What `check` finds out about cases and transitions that are each without a fault.
extension LoopDecoder {
    /// Warns of cases that are never entered and of transitions that can never apply; under `exhaustive`, reports what
    /// nothing handles.
    ///
    /// Nothing is said when something else is wrong with the loop or what it uses, as that may be the reason.
    func checkTransitions(_ feedbacks: [FeedbackModel]) {
        guard collector.errorCount == manifest.faultsOfLoops else { return }
        // A native reducer may enter any case.
        let entered = table.span(of: "reducer") == nil ? enteredCases : caseNumbers.map { _ in true }
        for (index, span) in states.caseSpans.enumerated() where !entered[index] {
            collector.warning(
                .unreachableCase, "case `\(stateType.cases[index].name)` is never entered", at: span,
                help: ["no transition that can apply leads `to` it, and it is not `initial`"])
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

    /// The cases; just one for a state without.
    private var caseNumbers: Range<Int> { 0..<states.initial.count }

    /// By case: whether some transition leads there from where the loop begins.
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

    /// An entry of `on`: `handled` tells, by event and case, where an earlier one applies always.
    private func check(
        _ entry: TransitionEntry, of events: [Int], _ entered: [Bool], handled: inout [Bool]
    ) {
        let cases = entry.from ?? Array(caseNumbers)
        var (isOpen, isEntered) = (false, false)
        for event in events {
            for index in cases {
                let place = event * caseNumbers.count + index
                isEntered = isEntered || entered[index]
                isOpen = isOpen || entered[index] && !handled[place]
                if !entry.isConditional { handled[place] = true }
            }
        }
        guard !isOpen, !events.isEmpty else { return }
        neverApplies(
            entry,
            because: isEntered
                ? "an earlier transition without `if` applies always" : "its case is never entered")
    }

    /// An entry of `after`: `handled` tells for which times an earlier one applies always.
    private func check(
        _ entry: TransitionEntry, at delay: DelayModel, _ entered: [Bool], lifetime: Duration?,
        _ handled: inout Set<DelayModel>
    ) {
        if !entered[delay.stateCase] {
            neverApplies(entry, because: "its case is never entered")
        } else if let lifetime, lifetime < delay.duration {
            neverApplies(entry, because: "the case is always left before")
        } else if handled.contains(delay) {
            neverApplies(entry, because: "an earlier transition without `if` applies always")
        }
        if !entry.isConditional { handled.insert(delay) }
    }

    /// By case: how long it lasts at most.
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
            let place = hasCases ? "in case `\(stateType.cases[index].name)` " : ""
            collector.error(
                .notExhaustive, "\(place)nothing handles \(names) without a condition",
                at: hasCases ? states.caseSpans[index] : events[missing[0]].span,
                related: table.span(of: "exhaustive").map { [Diagnostic.Label($0, "asked for here")] } ?? [],
                help: [
                    "add an entry without `if` to `on`, such as `\(events[missing[0]].name) = { ignore = true }`"
                ])
        }
    }
}
