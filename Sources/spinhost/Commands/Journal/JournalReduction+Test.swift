import App
import Glibc
import Journal
import Records

// `test --journal`
extension JournalReduction {
    /// Steps with one event in one case.
    private struct Transition {
        let loop, event: String
        let stateCase: String?
        var steps = 0
        var different: [JournalReplay.Step] = []

        var name: String { "\(loop): \(event)\(stateCase.map { " in `\($0)`" } ?? "")" }
    }

    /// So many different steps end the test.
    private static let mostDifferences = 1_000

    /// Prints a test for each transition: whether its steps have the result that they had.
    ///
    /// - Throws: an exit code when a step differs, or when the journal is damaged.
    func test(_ output: CommandOutput) throws {
        try journal.read { reader in
            var replay = JournalReplay(manifest, libraries: libraries)
            var transitions: [Transition] = []
            var places: [String: Int] = [:]
            var (different, last) = (0, UInt64(0))
            let point = try reader.entries { placed, state in
                guard let step = replay.take(placed, state) else { return true }
                var transition = Transition(loop: step.loop, event: step.event, stateCase: step.stateCase)
                let place = places[transition.name] ?? transitions.count
                if place < transitions.count { transition = transitions[place] }
                transition.steps += 1
                if step.problem != nil {
                    transition.different.append(step)
                    (different, last) = (different + 1, placed.position)
                }
                if place < transitions.count {
                    transitions[place] = transition
                } else {
                    places[transition.name] = place
                    transitions.append(transition)
                }
                return different < Self.mostDifferences
            }
            for transition in transitions {
                for line in isJSON ? [json(transition).json] : lines(transition, output.hasColor) {
                    try output.line(line)
                }
            }
            if different == Self.mostDifferences {
                ErrorOutput.line(
                    "the test ended at @\(last), after \(CountText.count(different, "difference"))"
                )
            }
            if !isJSON {
                let failed = transitions.count { !$0.different.isEmpty }
                try output.line(
                    "\(CountText.count(transitions.count, "transition")), \(CountText.grouped(failed)) failed"
                )
            }
            if let damage = point.damage { throw damage }
            if different > 0 { throw ExitStatus.no }
        }
    }

    private func lines(_ transition: Transition, _ hasColor: Bool) -> [String] {
        func paint(_ text: String, _ style: String) -> String {
            hasColor ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
        }
        let steps = CountText.count(transition.steps, "step")
        guard !transition.different.isEmpty else {
            return ["\(paint("ok", "32"))    \(transition.name)  (\(steps))"]
        }
        let count = CountText.grouped(transition.different.count)
        return ["\(paint("FAIL", "1;31"))  \(transition.name)  (\(count) of \(steps))"]
            + transition.different.map { step in
                let writer = step.writer.map { " (\($0))" } ?? ""
                return "      #\(step.number) (@\(step.position)): \(step.problem?.message ?? "")\(writer)"
            }
    }

    private func json(_ transition: Transition) -> Value {
        .record([
            ("loop", .string(transition.loop)), ("event", .string(transition.event)),
            ("case", transition.stateCase.map { .string($0) } ?? .null),
            ("steps", .int(Int64(transition.steps))), ("passed", .bool(transition.different.isEmpty)),
            (
                "differences",
                .list(
                    transition.different.map { step in
                        .record([
                            ("step", .int(Int64(clamping: step.number))),
                            ("position", .int(Int64(clamping: step.position))),
                            ("message", .string(step.problem?.message ?? "")),
                        ])
                    })
            ),
        ])
    }

}
