import ArgumentParser
import Journal
import Records

/// `spinhost journal at`
struct JournalAtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at", abstract: "Print the state of each loop at a step or position.",
        discussion: "A step is `12`, `LOOP#12`, `@4711` for a position, or `-- -1` for the last one.")

    @OptionGroup var journal: JournalOptions

    @Argument(help: "The step.")
    var step: String

    @Option(help: ArgumentHelp("Only this loop.", valueName: "name"))
    var loop: String?

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        guard JournalStep(step) != nil else {
            throw ValidationError(JournalStep.expected(step))
        }
    }

    func run() throws {
        let output = try CommandOutput()
        guard let wanted = JournalStep(step) else { throw ExitStatus.usage }
        try journal.read { reader in
            let name = wanted.loop ?? loop
            guard let point = try wanted.find(in: reader, loop: name) else {
                ErrorOutput.line(
                    "error: `\(journal.file)` has no step `\(step)`\(name.map { " of loop `\($0)`" } ?? "")")
                throw ExitStatus.no
            }
            guard let schema = point.state.epoch?.schema else { return }
            for past in point.state.loops where past.hasBegun {
                let loop = schema.loops[past.index]
                guard name == nil || loop.name == name else { continue }
                try output.line(Self.json(past, loop).json)
            }
        }
    }

    private static func json(_ past: LoopPast, _ loop: LoopSchema) -> Value {
        .record(
            [
                ("loop", .string(loop.name)), ("step", .int(Int64(clamping: past.step))),
                ("position", .int(Int64(clamping: past.position))),
                ("time", .string(JournalTime.universal(past.time))), ("state", past.state.value),
            ] + (past.event.map { [("event", .string(loop.events[$0].name))] } ?? []))
    }
}

/// A step as the user names it.
struct JournalStep {
    private enum Place {
        case step(UInt64)
        case position(UInt64)
        case fromEnd(UInt64)
    }

    /// What is wrong with a text that is no step.
    static func expected(_ text: String) -> String {
        "`\(text)` is no step: write `12`, `LOOP#12`, `@4711` or `-- -1`"
    }

    /// The loop that it names.
    let loop: String?
    private let place: Place

    /// `12`, `LOOP#12`, `@4711` or `-1`; nil for other text.
    init?(_ text: String) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        loop = parts.count == 2 ? String(parts[0]) : nil
        let number = parts.last ?? ""
        if loop == nil, number.hasPrefix("@"), let position = UInt64(number.dropFirst()) {
            place = .position(position)
        } else if number.hasPrefix("-"), let steps = UInt64(number.dropFirst()), steps > 0 {
            place = .fromEnd(steps)
        } else if let step = UInt64(number) {
            place = .step(step)
        } else {
            return nil
        }
    }

    /// What the journal says at the step; nil if it has none.
    ///
    /// - Parameter loop: the loop that counts; nil: the only one, or any that reaches the step first.
    func find(in reader: JournalReader, loop: String?) throws -> JournalReader.Point? {
        switch place {
        case .position(let position):
            let point = try reader.point(upTo: position)
            return position > 0 && point.state.next > position ? point : nil
        case .step(let step): return try point(of: step, in: reader, loop: loop)
        case .fromEnd(let steps):
            let end = try reader.end()
            guard steps > 1 else { return end.state.epoch == nil ? nil : end }
            let last = end.state.loops.filter { past in
                past.hasBegun && (loop == nil || end.state.epoch?.schema.loops[past.index].name == loop)
            }.map(\.step).max()
            guard let last, last >= steps - 1 else { return nil }
            return try point(of: last - (steps - 1), in: reader, loop: loop)
        }
    }

    private func point(
        of step: UInt64, in reader: JournalReader, loop: String?
    ) throws -> JournalReader.Point? {
        var position: UInt64?
        let end = try reader.all { placed, state in
            guard position == nil else { return }
            let index: Int
            switch placed.entry {
            case .started(let loop, let number) where number == step: index = loop
            case .step(let made) where made.step == step: index = made.loop
            default: return
            }
            if loop == nil || state.epoch?.schema.loops[index].name == loop { position = placed.position }
        }
        if position == nil, let damage = end.damage { throw damage }
        return try position.map { try reader.point(upTo: $0) }
    }
}
