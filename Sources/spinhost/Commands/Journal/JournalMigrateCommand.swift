import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest

/// `spinhost journal migrate`
struct JournalMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Write the states of a journal in the shape of a changed manifest.",
        discussion: """
            Fields of equal name and type keep their values. `--set 'state.count = int(state.text)'` computes a \
            field from the old state; it may be repeated. The old file is kept as `FILE.before-N`.
            """)

    @OptionGroup var journal: JournalOptions

    @Option(help: ArgumentHelp("The loop that `--set` is for.", valueName: "name"))
    var loop: String?

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse(except: ["--set"]) }

    func run() throws {
        let output = try CommandOutput()
        let path = manifestOptions.manifest
        let manifest = try LoadedManifest.load(path, overrides: [])
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        let migration: StateMigration
        do throws(AppRefusal) {
            migration = try StateMigration(runOptions.set, loop: loop, in: manifest)
        } catch {
            ErrorOutput.write(renderer.render(error.diagnostics, in: "--set"))
            throw ExitStatus.usage
        }
        do {
            let store = try SQLiteStore(path: journal.file, .write(create: nil, durability: .full))
            defer { store.close() }
            try JournalFault.refuse(store, of: journal.file, ofOtherAppThan: manifest)
            let model = manifest.journal ?? JournalModel(file: journal.file, path: journal.file)
            let old = try AppJournal(
                store, of: manifest,
                AppJournal.Host(version: SpinhostCommand.configuration.version, manifest: path), as: model,
                migrating: migration,
                reading: { [journal] () throws(JournalError) in try SQLiteStore(path: journal.file, .read) })
            guard let recovery = old.recovery, !old.isCurrent || !runOptions.set.isEmpty else {
                old.close()
                return try output.line("nothing to migrate: the states have the shape of the manifest")
            }
            let kept = KeptFile.name(for: journal.file, "before")
            try store.backup(to: kept)
            try old.migrate()
            if let warning = JournalFault.forgotten(old) { ErrorOutput.line(warning) }
            try output.line(
                "migrated: \(CountText.count(recovery.loops, "loop")); the old file is kept as `\(kept)`")
        } catch let error as JournalError {
            throw JournalFault.report(error, of: journal.file)
        } catch let refusal as AppRefusal {
            ErrorOutput.write(renderer.render(refusal.diagnostics.map(Self.advised), in: path))
            throw ExitStatus.invalidManifest
        }
    }

    /// A state that does not fit, with how to make it fit.
    private static func advised(_ diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.code == .notCarried
            ? diagnostic.replacingHelp(["give the field a value: `--set 'state.FIELD = EXPRESSION'`"])
            : diagnostic
    }
}

extension Diagnostic {
    /// The same, with other advice.
    func replacingHelp(_ help: [String]) -> Diagnostic {
        Diagnostic(
            severity, code, message, at: place?.span, label: place?.text ?? "", related: related,
            notes: notes,
            help: help)
    }
}
