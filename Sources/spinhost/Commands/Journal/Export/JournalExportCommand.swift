import ArgumentParser
import Glibc
import Journal
import PluginHost
import Records

/// `spinhost journal export`
struct JournalExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a journal in another form: lines of JSON, a test, a trace, a copy, or SQL.",
        discussion: """
            Without an option, it writes the lines of `run --json`, which `replay` and `journal import` read: the \
            states that loops began in, their steps, and faults. The app may run meanwhile.
            """)

    @OptionGroup var journal: JournalOptions

    @Flag(help: "Write the lines of `run --json`; the default.")
    var jsonl = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Write steps of a loop as a test for the manifest, such as `--test levels 1..4`.",
            valueName: "loop> <A..B"))
    var test: [String] = []

    @Flag(help: "Write a trace of steps, runs and messages, which Perfetto (ui.perfetto.dev) shows.")
    var trace = false

    @Option(
        help: ArgumentHelp("Write a whole copy of the journal to a new file.", valueName: "file"),
        completion: .file())
    var copy: String?

    @Option(
        help: ArgumentHelp("Write a new SQLite database with plain tables.", valueName: "file"),
        completion: .file())
    var sql: String?

    @Flag(help: "With `--sql`, continue with new entries, until interrupted.")
    var follow = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Write lines, a test or a trace to this file.  (default: stdout)", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var secretOptions: JournalSecretOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        let forms = [
            (jsonl, "--jsonl"), (!test.isEmpty, "--test"), (trace, "--trace"), (copy != nil, "--copy"),
            (sql != nil, "--sql"),
        ].filter(\.0).map(\.1)
        if forms.count > 1 {
            throw ValidationError(
                "`\(forms[0])` and `\(forms[1])` contradict each other: write one form at a time")
        }
        if !test.isEmpty, test.count != 2 {
            throw ValidationError("`--test` takes a loop and its steps, such as `--test levels 1..4`")
        }
        if test.count == 2 { _ = try JournalTest(test[0], test[1]) }
        if follow, sql == nil { throw ValidationError("`--follow` belongs to `--sql`") }
        if output != nil, copy != nil || sql != nil {
            throw ValidationError(
                "`--output` is for lines, tests and traces: `\(forms[0])` names its file itself")
        }
    }

    func run() async throws {
        if let copy {
            return try journal.read(showing: "copying") { reader in
                // A journal that was opened is a file.
                try (reader.store as? SQLiteStore)?.backup(to: copy)
            }
        }
        if let sql {
            guard follow else { return try export(to: sql, isShown: true) { false } }
            let output = try CommandOutput()
            return try await Interruption.ends("spinhost.journal.export") { interruption in
                try export(to: sql) {
                    _ = output.standard.isOpen(after: 100)
                    return !interruption.happened
                }
            }
        }
        if let output { try redirect(to: output) }
        let output = try CommandOutput()
        try journal.read(secretOptions, showing: "exporting") { reader in
            if test.count == 2 {
                for line in try JournalTest(test[0], test[1]).lines(from: reader, journal.file) {
                    try output.line(line)
                }
            } else if trace {
                try writeTrace(of: reader, to: output)
            } else {
                try writeLines(of: reader, to: output)
            }
        }
    }

    private func export(to path: String, isShown: Bool = false, while waits: () -> Bool) throws {
        try journal.read(secretOptions, showing: "exporting", if: isShown) { reader in
            let export: SQLExport
            do {
                export = try SQLExport(to: path) { Redaction.redacted($0) }
            } catch let error as JournalError { throw JournalFault.report(error, of: path) }
            repeat { _ = try export.update(from: reader) } while waits()
        }
    }

    private func writeLines(of reader: JournalReader, to output: CommandOutput) throws {
        // A loop that continues where it was has no line: in a recording, its steps follow one another.
        var known: [String: (step: UInt64, state: Record)] = [:]
        try visit(reader) { placed, state in
            if let index = placed.entry.changedLoop, let name = state.epoch?.schema.loops[index].name {
                let past = state.loops[index]
                if case .started = placed.entry, let last = known[name], last.step == past.step,
                    last.state == past.state
                {
                    return true
                }
                known[name] = (past.step, past.state)
            } else if JournalKind(placed.entry) != .fault {
                return true
            }
            return try JournalLine.json(placed, state).map { try output.isRead($0.json) } ?? true
        }
    }

    /// Writes a trace: one object, with a line for each event.
    private func writeTrace(of reader: JournalReader, to output: CommandOutput) throws {
        let header = reader.store.header
        var trace = JournalTrace(app: header.app)
        var isFirst = true
        func write(_ events: [Value]) throws -> Bool {
            for event in events {
                guard try output.isRead((isFirst ? "" : ",") + event.json) else { return false }
                isFirst = false
            }
            return true
        }
        let about = Value.record([("app", .string(header.app)), ("journal", .string(header.id))])
        try output.line(#"{"displayTimeUnit":"ms","otherData":\#(about.json),"traceEvents":["#)
        try visit(reader) { placed, state in try write(trace.take(placed, state)) }
        _ = try write(trace.finish())
        try output.line("]}")
    }

    /// Visits all entries in order, until `body` returns false.
    ///
    /// - Throws: also when the journal is damaged, after all entries before the damage.
    private func visit(
        _ reader: JournalReader, _ body: @escaping (PlacedEntry, JournalState) throws -> Bool
    ) throws {
        var failure: (any Error)?
        var (isWanted, isAtEnd) = (true, false)
        var point = try reader.start()
        while !isAtEnd, isWanted {
            let chunks = point.chunks
            try reader.read(into: &point, upTo: .max, most: 1 << 20) { placed, state in
                guard failure == nil, isWanted else { return }
                do { isWanted = try body(placed, state) } catch { failure = error }
            }
            if let failure { throw failure }
            if let damage = point.damage { throw damage }
            isAtEnd = point.chunks == chunks
        }
    }

    /// Makes a file the standard output. Only its user can read a new one.
    private func redirect(to path: String) throws {
        let isJournal = ["", "-wal", "-shm", "-lock"].contains { Self.isSame(journal.file + $0, path) }
        guard !isJournal else {
            ErrorOutput.line("error: `\(path)` is the journal itself; name another file")
            throw ExitStatus.usage
        }
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, dup2(descriptor, STDOUT_FILENO) >= 0 else {
            ErrorOutput.line("error: `\(path)` cannot be written: \(SystemError(number: errno).text)")
            throw ExitStatus.unreadable
        }
        close(descriptor)
    }

    /// Whether two paths name one file.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        // Safe because the paths and the structures live for the calls.
        guard unsafe stat(first, &one) == 0, unsafe stat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }
}
