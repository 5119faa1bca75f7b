import ArgumentParser
import Journal

/// `spinhost journal diff`
struct JournalDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what differs between two places of a journal, or between two journals.",
        discussion: """
            `diff FILE A B` prints for each loop the fields that differ, and the events between. A place is \
            \(JournalPlace.forms). `diff FILE1 FILE2` prints for each loop the first step at which the journals \
            differ. The exit code is 0 if nothing differs, and else 1.
            """)

    @OptionGroup var journal: JournalOptions

    @Argument(help: "Two places, or another journal.", completion: .file())
    var others: [String]

    @Option(help: ArgumentHelp("Only this loop.", valueName: "name"))
    var loop: String?

    @OptionGroup var secretOptions: JournalSecretOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        switch others.count {
        case 1 where JournalPlace(others[0]) != nil && FileContent.read(others[0], atMost: 1) == nil:
            throw ValidationError(
                "a place has nothing to differ from: write a second one, or another journal")
        case 1: break
        case 2: for text in others { _ = try JournalPlace.parse(text) }
        default: throw ValidationError("write two places after the journal, or one other journal")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        let lines = try others.count == 2 ? places() : journals()
        for line in lines.text { try output.line(line) }
        if lines.differ { throw ExitStatus.no }
        if lines.text.isEmpty { try output.line("equal") }
    }

    private func places() throws -> (text: [String], differ: Bool) {
        let places = try others.map { try JournalPlace.parse($0) }
        return try journal.read(secretOptions) { reader in
            let points = try places.map { place in
                guard let point = try place.point(in: reader, loop: loop) else {
                    throw place.refuse(journal.file, loop: loop)
                }
                return point.state
            }
            try refuse(unknownIn: points, journal.file)
            return try JournalChanges(from: points[0], to: points[1], in: reader, only: loop).lines
        }
    }

    private func journals() throws -> (text: [String], differ: Bool) {
        try journal.read(secretOptions) { first in
            try JournalOptions.read(others[0], secretOptions) { second in
                let ends = [try first.end(), try second.end()]
                for damage in ends.compactMap(\.damage) { throw damage }
                try refuse(unknownIn: ends.map(\.state), "\(journal.file)` or `\(others[0])")
                let comparison = JournalComparison(first, second, names: (journal.file, others[0]))
                return try comparison.lines(ends.map(\.state), only: loop)
            }
        }
    }

    private func refuse(unknownIn states: [JournalState], _ file: String) throws {
        guard let loop, !states.contains(where: { $0.index(ofLoop: loop) != nil }) else { return }
        ErrorOutput.line("error: `\(file)` has no loop `\(loop)`")
        throw ExitStatus.usage
    }
}
