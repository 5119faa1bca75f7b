import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest
import Records

/// `spinhost replay`
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run recorded steps through the reducers again, without running an effect.",
        discussion: """
            `spinhost run --json > FILE` records a run, and so does `--journal FILE`. `replay` shows the first \
            step with another result. It loads no library, except those of native reducers with `--libraries`.
            """)

    @Argument(help: "The recording or the journal; `-` is a recording on stdin.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Only this step of a journal, with the states before and after it.", valueName: "step"),
        transform: { try JournalPlace.parse($0) })
    var at: JournalPlace?

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
    }

    func run() throws {
        let output = try CommandOutput()
        let manifest = try LoadedManifest.load(manifestOptions.manifest, overrides: [])
        let libraries = try libraryOptions.load(
            manifest, of: manifest.loops, path: manifestOptions.manifest, verb: "replay", log: runOptions)
        defer { libraries?.close() }
        if file != "-", SQLiteStore.isDatabase(file) {
            let journal = JournalReduction(manifest, libraries, JournalOptions(of: file), outputOptions)
            return try at.map { try journal.show($0, output) }
                ?? journal.compare(output)
        }
        guard at == nil else {
            ErrorOutput.line("error: `--at` needs a journal, and `\(file)` is not one")
            throw ExitStatus.usage
        }
        try RecordingFile.open(file)
        let name = file == "-" ? "stdin" : file
        var replay = Replay(manifest, libraries: libraries, secrets: Redaction.recordedSecrets)
        var number = 0
        while let line = readLine(strippingNewline: false) {
            number += 1
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let json: Value
            do { json = try Value(json: line) } catch {
                let isCut = !line.hasSuffix("\n") && number > 1
                let problem = isCut ? "the recording ends in the middle of a line" : error.message
                let diagnostic = Diagnostic(
                    .error, .notARecording, problem, at: RecordingFile.span([], in: line, number, of: name),
                    notes: isCut ? ["identical before it: \(CountText.count(replay.steps, "step"))"] : [])
                throw refuse(diagnostic, ExitStatus.unreadable, output)
            }
            do { try replay.take(json) } catch {
                let diagnostic = Diagnostic(
                    .error, error.code, error.message,
                    at: RecordingFile.span(error.path, in: line, number, of: name),
                    related: error.fault?.place.map { [$0] } ?? [], notes: error.notes, help: error.help)
                throw refuse(
                    diagnostic, error.code == .notARecording ? ExitStatus.unreadable : ExitStatus.no, output)
            }
        }
        guard replay.hasBegun else {
            throw refuse(
                Diagnostic(.error, .notARecording, "`\(name)` holds no recorded state"),
                ExitStatus.unreadable, output)
        }
        let steps = replay.steps
        try output.line(
            outputOptions.json
                ? Value.record([("identical", .bool(true)), ("steps", .int(Int64(steps)))]).json
                : "identical: \(CountText.count(steps, "step"))")
    }

    private func refuse(_ diagnostic: Diagnostic, _ status: ExitCode, _ output: CommandOutput) -> ExitCode {
        if outputOptions.json {
            try? output.line(diagnostic.json.json)
        } else {
            ErrorOutput.write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(diagnostic))
        }
        return status
    }
}
