import ArgumentParser
import Journal
import Records

/// Steps of a loop as a test of the manifest: the state before, the events, and the state after.
struct JournalTest {
    private let loop: String
    private let steps: ClosedRange<UInt64>

    /// - Parameters:
    ///   - loop: the loop's name.
    ///   - text: `A..B`, or `A` for one step.
    /// - Throws: a usage error for another text.
    init(_ loop: String, _ text: String) throws {
        guard let match = text.wholeMatch(of: /(\d+)(?:\.\.(\d+))?/), let first = UInt64(match.1),
            let last = UInt64(match.2 ?? match.1), first > 0, first <= last
        else {
            throw ValidationError(
                "`\(text)` are no steps: write `A..B` with steps from 1 on, such as `--test levels 1..4`")
        }
        (self.loop, steps) = (loop, first...last)
    }

    /// The lines of the test.
    ///
    /// - Throws: an exit code when the journal does not have the steps, or a manifest cannot have them, after the
    ///   reason was printed.
    func lines(from reader: JournalReader, _ file: String) throws -> [String] {
        guard let position = try reader.position(ofStep: steps.lowerBound, of: loop),
            let first = try reader.cause(at: position), case .step(let step) = first.placed.entry,
            let type = first.state.epoch?.schema.loops[step.loop].state
        else { throw refuse("`\(file)` has no step \(steps.lowerBound) of loop `\(loop)`") }
        let taken = try events(from: position, of: type, in: reader)
        guard let state = taken.last?.state, taken.count == steps.count else {
            throw refuse(
                taken.isOther
                    ? "the manifest has changed in these steps; choose steps before or after that"
                    : "`\(file)` has no step \(steps.lowerBound + UInt64(taken.count)) of loop `\(loop)`")
        }
        do throws(TOMLText.Failure) {
            return try Self.lines(loop, steps, given: step.before, taken.events, expect: state)
        } catch {
            throw refuse(error.reason)
        }
    }

    /// The lines of a test whose parts are known.
    ///
    /// - Throws: the reason why a manifest cannot have it.
    static func lines(
        _ loop: String, _ steps: ClosedRange<UInt64>, given: Record,
        _ events: [(name: String, payload: Record)],
        expect: Record
    ) throws(TOMLText.Failure) -> [String] {
        let name =
            steps.count == 1
            ? "step \(steps.lowerBound) of \(loop)"
            : "steps \(steps.lowerBound) to \(steps.upperBound) of \(loop)"
        var lines = [
            "", "[[tests]]", "name   = \(TOMLText.string(name))", "loop   = \(TOMLText.string(loop))",
            "given  = \(try TOMLText.table(given))", "events = [",
        ]
        for event in events {
            lines.append("    { \(TOMLText.key(event.name)) = \(try TOMLText.table(event.payload)) },")
        }
        return lines + ["]", "expect = \(try TOMLText.table(expect))"]
    }

    private struct Taken {
        var events: [(name: String, payload: Record)] = []
        var last: (state: Record, step: UInt64)?
        /// The loop's state has another type from here on.
        var isOther = false

        var count: Int { events.count }
    }

    private func events(
        from position: UInt64, of type: RecordType, in reader: JournalReader
    ) throws -> Taken {
        var taken = Taken()
        var point = try reader.point(before: position)
        var isAtEnd = false
        while !isAtEnd, taken.count < steps.count, !taken.isOther {
            let chunks = point.chunks
            try reader.read(into: &point, upTo: .max, most: 1 << 20) { placed, state in
                guard placed.position >= position, taken.count < steps.count, !taken.isOther,
                    let index = placed.entry.changedLoop,
                    let schema = state.epoch?.schema.loops[index], schema.name == loop
                else { return }
                taken.isOther = schema.state != type
                guard case .step(let step) = placed.entry, !taken.isOther else { return }
                taken.events.append((schema.events[step.event].name, step.payload))
                taken.last = (state.loops[index].state, step.step)
            }
            isAtEnd = point.chunks == chunks
            if isAtEnd, let damage = point.damage { throw damage }
        }
        return taken
    }

    private func refuse(_ reason: String) -> ExitCode {
        ErrorOutput.line("error: \(reason)")
        return ExitStatus.no
    }
}
