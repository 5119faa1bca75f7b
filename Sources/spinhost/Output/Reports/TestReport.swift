import App
import Diagnostics
import Manifest
import Records

/// The outcomes of tests, for people and for programs.
struct TestReport {
    private let manifest: Manifest
    private let color: Bool

    init(_ manifest: Manifest, color: Bool) { (self.manifest, self.color) = (manifest, color) }

    /// The lines of one test: `ok    NAME`, or `FAIL  NAME` with the steps, the faults, and each field that
    /// differs.
    func lines(_ test: TestModel, _ outcome: TestOutcome) -> [String] {
        guard !outcome.isPassed else { return ["\(paint("ok", "32"))    \(test.name)"] }
        let loop = manifest.loops[test.loop].name
        let steps = StepLine(color: color)
        var lines = [
            "\(paint("FAIL", "1;31"))  \(test.name)",
            "      \(steps.line(loop: loop, initial: outcome.given))",
        ]
        // If there are very many entries, it shows the first and the last of them.
        let omitted = max(0, outcome.entries.count - 2 * Self.mostEntries)
        let first = outcome.entries.prefix(omitted > 0 ? Self.mostEntries : outcome.entries.count)
        for entry in first { lines += self.lines(entry, of: loop, steps) }
        if omitted > 0 {
            lines.append("      … \(CountText.count(omitted, "line")) left out")
            for entry in outcome.entries.suffix(Self.mostEntries) {
                lines += self.lines(entry, of: loop, steps)
            }
        }
        if outcome.isEndless {
            let count = CountText.grouped(TestOutcome.mostSteps)
            lines.append("  `\(loop)` does not stop: the test gave up after \(count) steps")
        }
        if outcome.eventsAfterEnd > 0 {
            let count = CountText.count(outcome.eventsAfterEnd, "event")
            lines.append("  `until` of `\(loop)` held before the last \(count)")
        }
        for difference in outcome.differences {
            let found = difference.found.map(\.json) ?? "no such field"
            let position = "\(difference.span.file.name):\(difference.span.start.line)"
            lines.append(
                "  \(difference.path): expected \(difference.expected.json), found \(found)  (\(position))")
        }
        return lines
    }

    /// The number of first entries, and of last entries, that are shown if there are more than both together.
    private static let mostEntries = 25

    private func lines(_ entry: TestOutcome.Entry, of loop: String, _ steps: StepLine) -> [String] {
        switch entry {
        case .step(let step): return ["      \(steps.line(step))"]
        case .unhandled(let event, let payload):
            return ["      \(steps.line(loop: loop, unhandled: event, payload))"]
        case .fault(let fault):
            let text = DiagnosticRenderer(color: color).render(fault.placed)
            return text.split(separator: "\n").map { "      \($0)" }
        }
    }

    /// The record of one test: its name, whether it passed, its steps, and the differences.
    func json(_ test: TestModel, _ outcome: TestOutcome) -> Value {
        let loop = manifest.loops[test.loop].name
        var fields: [(String, Value)] = [
            ("test", .string(test.name)), ("loop", .string(loop)), ("passed", .bool(outcome.isPassed)),
        ]
        let entries = outcome.entries.map { entry in
            switch entry {
            case .step(let step): step.json
            case .fault(let fault): fault.json
            case .unhandled(let event, let payload):
                Value.record([
                    ("loop", .string(loop)), ("unhandled", .string(event)), ("payload", payload.value),
                ])
            }
        }
        fields.append(("steps", .list([AppStep.initialJSON(loop: loop, state: outcome.given)] + entries)))
        fields.append(("eventsAfterEnd", .int(Int64(outcome.eventsAfterEnd))))
        if outcome.isEndless { fields.append(("endless", .bool(true))) }
        let differences = outcome.differences.map { difference in
            Value.record([
                ("field", .string(difference.path)), ("expected", difference.expected),
                ("found", difference.found ?? .null),
                ("line", .int(Int64(difference.span.start.line))),
            ])
        }
        return .record(fields + [("differences", .list(differences))])
    }

    private func paint(_ text: String, _ style: String) -> String {
        color ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }
}
