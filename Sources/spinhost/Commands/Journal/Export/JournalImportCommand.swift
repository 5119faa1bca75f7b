import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest
import Records

/// `spinhost journal import`
struct JournalImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make a journal of a recording by `run --json` or `journal export`.",
        discussion: "The manifest must be the one that was recorded.")

    @Argument(help: "The recording; `-` is stdin.", completion: .file())
    var recording: String

    @Option(help: ArgumentHelp("The new journal.", valueName: "file"), completion: .file())
    var to: String

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let output = try CommandOutput()
        let path = manifestOptions.manifest
        let manifest = try LoadedManifest.load(path, overrides: [])
        try RecordingFile.open(recording)
        // Safe because the path is a NUL-terminated copy for the call.
        guard unsafe access(to, F_OK) != 0 else {
            ErrorOutput.line("error: `\(to)` exists already; name a new file")
            throw ExitStatus.unreadable
        }
        let store: SQLiteStore
        do {
            store = try SQLiteStore(
                path: to, .write(create: JournalHeader(newFor: manifest), durability: .off))
        } catch { throw JournalFault.report(error, of: to) }
        do {
            let steps = try write(manifest, path, to: store)
            try output.line("imported: \(CountText.count(steps, "step"))")
        } catch {
            // Safe because the paths are NUL-terminated copies for the calls.
            for rest in ["", "-wal", "-shm", "-lock"] { unsafe _ = unlink(to + rest) }
            guard let error = error as? JournalError else { throw error }
            throw JournalFault.report(error, of: to)
        }
    }

    private func write(_ manifest: Manifest, _ path: String, to store: SQLiteStore) throws -> Int {
        let host = AppJournal.Host(version: SpinhostCommand.configuration.version, manifest: path)
        var journal = JournalImport(manifest, host, to: store, time: JournalTime.now)
        let name = recording == "-" ? "stdin" : recording
        var number = 0
        while let line = readLine(strippingNewline: false) {
            number += 1
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            do { try journal.take(Value(json: line)) } catch let error as RecordError {
                throw refuse(error.message, at: RecordingFile.span([], in: line, number, of: name))
            } catch let error as JournalImport.Problem {
                let span = RecordingFile.span(error.path, in: line, number, of: name)
                throw refuse(error.message, at: span, help: error.help)
            }
        }
        guard journal.hasBegun else { throw refuse("`\(name)` holds no recorded state") }
        try journal.finish()
        return journal.steps
    }

    private func refuse(_ message: String, at span: SourceSpan? = nil, help: [String] = []) -> ExitCode {
        ErrorOutput.show(Diagnostic(.error, .notARecording, message, at: span, help: help))
        return ExitStatus.unreadable
    }
}
