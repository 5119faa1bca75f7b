import ArgumentParser
import Glibc
import Journal
import PluginHost
import Records

/// `spinhost journal show`
struct JournalShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the entries of a journal.",
        discussion: """
            The app may run meanwhile. Each line begins with its position. `--from` and `--to` take a position, \
            `LOOP#12` for a step, `-10` for the tenth entry from the end, or a time such as `11:44:23` or \
            `2026-11-23 11:44:23.5`. Times are local. `--json` prints the lines of `run --json`, each with its \
            `position` and `time`, and a line for each other entry.
            """)

    @OptionGroup var journal: JournalOptions

    @Option(help: ArgumentHelp("Only entries of this loop.", valueName: "name"))
    var loop: String?

    @Option(help: ArgumentHelp("Only this event.", valueName: "name"))
    var event: String?

    @Option(
        help: ArgumentHelp("Only these kinds of entries: \(JournalKind.names).", valueName: "kind,…"),
        completion: .list(JournalKind.allCases.map(\.rawValue)), transform: { try JournalKind.list($0) })
    var kind: Set<JournalKind>?

    @Option(
        help: ArgumentHelp("From this place on.", valueName: "place"),
        transform: { try JournalPlace.parse($0) })
    var from: JournalPlace?

    @Option(
        help: ArgumentHelp("Up to this place.", valueName: "place"),
        transform: { try JournalPlace.parse($0) })
    var to: JournalPlace?

    @Flag(help: "Continue with each new entry, until interrupted.")
    var follow = false

    @OptionGroup var secretOptions: JournalSecretOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        if follow, to != nil { throw ValidationError("`--follow` and `--to` contradict each other") }
    }

    func run() async throws {
        let output = try CommandOutput()
        guard follow else { return try print(to: output) { false } }
        try await Interruption.ends("spinhost.journal.show") { interruption in
            // Nobody tells a reader of a new commit, so it looks again and again.
            try print(to: output) {
                !interruption.happened && output.standard.isOpen(after: Self.pause) && !interruption.happened
            }
        }
    }

    /// How long a reader waits for the next commit: milliseconds.
    private static let pause: Int32 = 100

    /// Prints the entries.
    ///
    /// - Parameter waits: called at the end of the journal; whether to look for more entries.
    private func print(to output: CommandOutput, while waits: () -> Bool) throws {
        let form = JournalLine(color: output.hasColor)
        try journal.read(secretOptions) { reader in
            let (first, last) = (try position(of: from, in: reader) ?? 1, try end(in: reader))
            guard first <= last else {
                ErrorOutput.line("error: `--from` is after `--to`")
                throw ExitStatus.usage
            }
            var point = try reader.point(before: first)
            if try point.state.next < reader.start().state.next { point = try reader.start() }
            var (shown, isOpen) = (0, true)
            repeat {
                let chunks = point.chunks
                var failure: (any Error)?
                try reader.read(into: &point, upTo: last, most: 1 << 20) { placed, state in
                    guard isOpen, failure == nil, placed.position >= first, isWanted(placed.entry, state)
                    else { return }
                    let line =
                        outputOptions.json ? JournalLine.json(placed, state)?.json : form.line(placed, state)
                    guard let line else { return }
                    shown += 1
                    do { isOpen = try output.isRead(line) } catch { failure = error }
                }
                if let failure { throw failure }
                if let damage = point.damage { throw damage }
                guard isOpen, point.state.next <= last else { break }
                if point.chunks > chunks { continue }
                if shown == 0, let missing = missing(from: point.state) {
                    ErrorOutput.line("error: `\(journal.file)` has no \(missing)")
                    throw ExitStatus.no
                }
                guard waits() else { break }
            } while true
        }
    }

    private func position(of place: JournalPlace?, in reader: JournalReader) throws -> UInt64? {
        guard let place else { return nil }
        guard let position = try place.position(in: reader, isEnd: false, loop: loop, numbers: .entries)
        else { throw place.refuse(journal.file, loop: loop) }
        return position
    }

    private func end(in reader: JournalReader) throws -> UInt64 {
        guard let to else { return .max }
        guard let position = try to.position(in: reader, isEnd: true, loop: loop, numbers: .entries)
        else { throw to.refuse(journal.file, loop: loop) }
        return position
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
        if let kind, !kind.contains(JournalKind(entry)) { return false }
        let place = entry.place
        if let loop, place.loop.flatMap({ state.epoch?.schema.loops[$0].name }) != loop { return false }
        guard let event else { return true }
        guard let index = place.loop, let found = place.event else { return false }
        return state.epoch?.schema.loops[index].events[found].name == event
    }
}
