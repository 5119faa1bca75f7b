import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest
import Records

/// Makes the steps of a journal again: for `replay`, `journal verify --reduce` and `test --journal`.
struct JournalReduction {
    let manifest: Manifest
    let libraries: ReducerLibraries?
    let journal: JournalOptions
    let isJSON: Bool

    /// - Parameter libraries: the plugins of native reducers; nil if no loop has one.
    init(
        _ manifest: Manifest, _ libraries: ReducerLibraries?, _ journal: JournalOptions,
        _ options: OutputOptions
    ) {
        (self.manifest, self.libraries, self.journal) = (manifest, libraries, journal)
        isJSON = options.json
    }

    /// Prints the first step with another result, or that all have the same.
    ///
    /// - Parameter finish: if given, all entries are read, and it gets the point before the answer is printed.
    /// - Throws: an exit code when a step differs, or when the journal is damaged before that.
    func compare(
        _ output: CommandOutput, _ finish: ((JournalReader.Point, JournalReader) throws -> Void)? = nil
    ) throws {
        try journal.read(showing: "checking", if: !isJSON) { reader in
            var replay = JournalReplay(manifest, libraries: libraries)
            var different: JournalReplay.Step?
            let point = try reader.entries { placed, state in
                guard different == nil else { return finish != nil }
                if let step = replay.take(placed, state), step.problem != nil { different = step }
                return different == nil || finish != nil
            }
            if let finish {
                try finish(point, reader)
            } else if different == nil, let damage = point.damage {
                ErrorOutput.line("identical before the damage: \(CountText.count(replay.same, "step"))")
                throw damage
            }
            if let different { throw try differs(different, output) }
            try output.line(
                isJSON
                    ? Value.record([("identical", .bool(true)), ("steps", .int(Int64(replay.same)))]).json
                    : "identical: \(CountText.count(replay.same, "step"))")
        }
    }

    /// Prints one step: the state before, the event, and the state after.
    ///
    /// - Throws: an exit code when the journal has no such step, or when its result differs now.
    func show(_ wanted: JournalPlace, _ output: CommandOutput) throws {
        try journal.read { reader in
            guard let last = try wanted.point(in: reader, loop: wanted.loop)?.state,
                let past = last.loops.filter({ $0.hasBegun && isWanted($0, wanted, last) })
                    .max(by: { $0.position < $1.position })
            else {
                ErrorOutput.line("error: `\(journal.file)` has no such step")
                throw ExitStatus.no
            }
            var replay = JournalReplay(manifest, libraries: libraries)
            var shown: (lines: [String], step: JournalReplay.Step?)?
            _ = try reader.point(upTo: past.position, from: past.position) { placed, state in
                let step = replay.take(placed, state)
                guard placed.position == past.position else { return }
                shown = lines(placed, state, step, output.hasColor).map { ($0, step) }
            }
            guard let shown else {
                ErrorOutput.line("error: the entry of that step was pruned from `\(journal.file)`")
                throw ExitStatus.no
            }
            for line in shown.lines { try output.line(line) }
            guard let step = shown.step else { return }
            if step.problem != nil { throw try differs(step, output) }
            if !isJSON { try output.line("identical: 1 step") }
        }
    }

    private func isWanted(_ past: LoopPast, _ wanted: JournalPlace, _ state: JournalState) -> Bool {
        wanted.loop == nil || state.epoch?.schema.loops[past.index].name == wanted.loop
    }

    /// The lines of a step or of a first state; nil for another entry.
    private func lines(
        _ placed: PlacedEntry, _ state: JournalState, _ step: JournalReplay.Step?, _ hasColor: Bool
    ) -> [String]? {
        guard let schema = state.epoch?.schema else { return nil }
        let form = StepLine(color: hasColor)
        switch placed.entry {
        case .started(let index, let number):
            let (name, state) = (schema.loops[index].name, state.loops[index].state)
            guard isJSON else { return [form.line(loop: name, step: number, initial: state)] }
            return [
                Value.record([
                    ("loop", .string(name)), ("step", .int(Int64(clamping: number))), ("after", state.value),
                ]).json
            ]
        case .step(let made):
            let (loop, after) = (schema.loops[made.loop], state.loops[made.loop].state)
            let event = loop.events[made.event].name
            guard !isJSON else {
                return [
                    Value.record([
                        ("loop", .string(loop.name)), ("step", .int(Int64(clamping: made.step))),
                        ("position", .int(Int64(clamping: placed.position))),
                        ("before", made.before.value), ("event", .string(event)),
                        ("payload", made.payload.value), ("after", after.value),
                        ("identical", .bool(step?.problem == nil)),
                    ]).json
                ]
            }
            return [
                form.line(loop: loop.name, step: made.step - 1, initial: made.before),
                form.line(
                    loop: loop.name, step: made.step, event, made.payload, from: made.before, to: after,
                    JournalLine.origin(made.origin, loop)),
                form.line(loop: loop.name, step: made.step, initial: after),
            ]
        default: return nil
        }
    }

    /// Prints a step with another result.
    ///
    /// - Returns: the exit code.
    private func differs(_ step: JournalReplay.Step, _ output: CommandOutput) throws -> ExitCode {
        guard let problem = step.problem else { return ExitStatus.unexpected }
        let writer = step.writer.map { " (\($0))" } ?? ""
        guard isJSON else {
            let place =
                "step \(CountText.grouped(Int(clamping: step.number))) of `\(step.loop)` (@\(step.position))"
            try output.line("differs: \(place), `\(step.event)`: \(problem.message)\(writer)")
            return ExitStatus.no
        }
        let diagnostic = Diagnostic(
            .error, problem.code, problem.message, related: problem.fault?.place.map { [$0] } ?? [],
            notes: [
                "in step \(step.number) of loop `\(step.loop)` (@\(step.position)), event `\(step.event)`\(writer)"
            ],
            help: problem.help)
        try output.line(diagnostic.json.json)
        return ExitStatus.no
    }
}
