import ArgumentParser
import Glibc
import Journal
import Records

/// `spinhost journal show`
struct JournalShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the entries of a journal.",
        discussion: """
            The app may run meanwhile. Times are local. `--json` prints the lines of `run --json`, each with its \
            `position` and `time`.
            """)

    @OptionGroup var journal: JournalOptions

    @Option(help: ArgumentHelp("Only entries of this loop.", valueName: "name"))
    var loop: String?

    @Option(help: ArgumentHelp("Only this event.", valueName: "name"))
    var event: String?

    @Option(help: ArgumentHelp("From this position on.", valueName: "position"))
    var from: UInt64 = 1

    @Option(help: ArgumentHelp("Up to this position.", valueName: "position"))
    var to: UInt64 = .max

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        guard from <= to else { throw ValidationError("`--from` is after `--to`") }
    }

    func run() throws {
        let output = try CommandOutput()
        let form = JournalLine(color: Terminal.hasColor(STDOUT_FILENO))
        try journal.read { reader in
            var failure: (any Error)?
            let point = try reader.point(upTo: to, from: from) { placed, state in
                guard failure == nil, placed.position >= from, isWanted(placed.entry, state) else { return }
                let line =
                    outputOptions.json ? JournalLine.json(placed, state)?.json : form.line(placed, state)
                do { if let line { try output.line(line) } } catch { failure = error }
            }
            if let failure { throw failure }
            if let damage = point.damage { throw damage }
            if let missing = missing(from: point.state) {
                ErrorOutput.line("error: `\(journal.file)` has no \(missing)")
                throw ExitStatus.no
            }
        }
    }

    /// The loop or event that was asked for and that the journal does not have at its end.
    private func missing(from state: JournalState) -> String? {
        guard let schema = state.epoch?.schema else { return nil }
        let loops = schema.loops.filter { loop == nil || $0.name == loop }
        if let loop, loops.isEmpty { return "loop `\(loop)`" }
        guard let event, !loops.contains(where: { $0.events.contains { $0.name == event } }) else {
            return nil
        }
        return "event `\(event)`"
    }

    private func isWanted(_ entry: Entry, _ state: JournalState) -> Bool {
        let place = entry.place
        if let loop, place.loop.flatMap({ state.epoch?.schema.loops[$0].name }) != loop { return false }
        guard let event else { return true }
        guard let index = place.loop, let found = place.event else { return false }
        return state.epoch?.schema.loops[index].events[found].name == event
    }
}

extension Entry {
    /// The loop and the event that the entry is about, by their indices.
    fileprivate var place: (loop: Int?, event: Int?) {
        switch self {
        case .epoch, .swapped: (nil, nil)
        case .started(let loop, _), .sent(let loop, _, _, _, _), .fault(let loop, _, _, _),
            .finished(let loop, _):
            (loop, nil)
        case .step(let step), .refused(let step, _): (step.loop, step.event)
        }
    }
}
