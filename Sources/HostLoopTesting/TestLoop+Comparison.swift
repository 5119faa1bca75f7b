import HostLoop
import Testing

/// Search and comparison of log entries, and the texts of failures.
extension TestLoop {
    typealias Entry = TestLog<State, Event>.Entry

    enum Search {
        /// The matching entry and the entries before it; all are removed from the log.
        case found(Entry, passed: [Entry])
        /// No entry matches; the log is unchanged.
        case none(TestLog<State, Event>)
    }

    /// Finds the first entry that matches, and removes it and all earlier entries from the log.
    func next(where matches: (Entry) -> Bool) -> Search {
        let log = record.log
        guard let index = log.entries.firstIndex(where: matches) else { return .none(log) }
        let passed = Array(log.entries[..<index])
        skip(over: Array(log.entries[...index]))
        return .found(log.entries[index], passed: passed)
    }

    /// Removes these entries from the front of the log, and sets `state` to that of their last step.
    func skip(over entries: [Entry]) {
        record.removeFirst(entries.count)
        for case .step(let step) in entries.reversed() {
            state = step.after
            break
        }
    }

    /// Waits until the log meets the condition; returns false if the time limit passes first.
    nonisolated(nonsending) func waitUntil(_ isMet: @escaping @Sendable (TestLog<State, Event>) -> Bool) async
        -> Bool
    {
        await withCheckedContinuation { continuation in
            record.whenMet(isMet, limit: limit) { continuation.resume() }
        }
        return isMet(record.log)
    }

    // MARK: - Comparing

    func assert(
        _ entry: Entry, _ title: String, _ location: TestLocation,
        _ change: (inout State) -> Void
    ) {
        guard case .step(let step) = entry else {
            return fail("\(title): \(outcome(entry))", at: location)
        }
        var expected = exhaustivity == .on ? step.before : step.after
        change(&expected)
        guard !isEqual(expected, step.after) else { return }
        let difference = StateDifference(expected, step.after)
        fail(
            "\(title): the new state is not the expected one (- expected, + actual)\n\(difference)",
            at: location)
    }

    func assertUnhandled(_ entry: Entry, _ title: String, _ location: TestLocation) {
        if case .unhandled = entry { return }
        fail("\(title): \(outcome(entry))", at: location)
    }

    func reportPassed(_ passed: [Entry], _ title: String, _ location: TestLocation) {
        guard !passed.isEmpty, exhaustivity == .on else { return }
        let text = lines(of: passed).joined(separator: "\n")
        fail("\(title): \(events(passed.count)) before it not asserted\n\(text)", at: location)
    }

    func reportMissing(
        _ log: TestLog<State, Event>, _ title: String, isOverdue: Bool, _ location: TestLocation
    ) {
        var text = "\(title): it did not come"
        if log.isOver { text += ", and nothing can come any more" }
        if isOverdue { text += " within \(limit.duration)" }
        if !log.entries.isEmpty { text += "; instead\n" + lines(of: log.entries).joined(separator: "\n") }
        fail(text + runningText(log), at: location)
    }

    // MARK: - Texts

    func events(_ count: Int) -> String {
        count == 1 ? "an event" : "\(count) events"
    }

    /// The outcome of an event, as the end of a sentence.
    func outcome(_ entry: Entry) -> String {
        switch entry {
        case .step(let step):
            let difference = StateDifference(step.before, step.after).lines
            return "it was handled"
                + (difference.isEmpty ? "" : "\n" + difference.joined(separator: "\n"))
        case .unhandled: return "it was not handled"
        case .failed(let fault): return "the reducer failed: \(ValueText.of(fault.error))"
        }
    }

    /// The lines of entries, each with its changes.
    func lines(of entries: [Entry]) -> [String] {
        entries.flatMap { entry -> [String] in
            switch entry {
            case .step(let step):
                let title = "  step \(step.index): \(ValueText.of(step.event))\(step.origin.text)"
                return [title] + StateDifference(step.before, step.after).lines.map { "    \($0)" }
            case .unhandled(let event, let origin):
                return ["  not handled: \(ValueText.of(event))\(origin.text)"]
            case .failed(let fault): return ["  the reducer failed: \(ValueText.of(fault.error))"]
            }
        }
    }

    func text(of running: TestLog<State, Event>.Running) -> String {
        let cause = running.cause.map { ValueText.of($0) } ?? "the initial state"
        return "\(running.run.text), started by \(cause)"
    }

    func text(of fault: LoopFault) -> String {
        "\(fault.source.text): \(ValueText.of(fault.error))"
    }

    /// The running effects and the next timer, which the test may have forgotten, as the end of a failure.
    func runningText(_ log: TestLog<State, Event>) -> String {
        guard !log.running.isEmpty else { return "" }
        var text = "\nstill running\n  " + log.running.map { self.text(of: $0) }.joined(separator: "\n  ")
        if let next = clock.next {
            text += "\nthe clock's next timer is due in \(clock.now.duration(to: next))"
        }
        return text
    }
}
