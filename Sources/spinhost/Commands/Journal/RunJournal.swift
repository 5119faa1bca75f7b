import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest
import PluginHost
import Records

/// Opens the journal of a run, and says what it continues.
struct RunJournal {
    let model: JournalModel
    let options: RunOptions
    /// Whether it shows how far a long recovery is, on a terminal.
    let showsProgress: Bool

    /// The file as messages name it: as it was given, if that is the same file from the current folder.
    var path: String {
        // Safe because the buffer is freed here, and has the folder's name with a NUL.
        guard let folder = unsafe getcwd(nil, 0) else { return model.path }
        defer { unsafe free(folder) }
        return unsafe "\(String(cString: folder))/\(model.file)" == model.path ? model.file : model.path
    }

    /// Opens the journal.
    ///
    /// - Returns: nil when the app has reached its end in the journal already, which was printed.
    /// - Throws: an exit code, after the reason was printed.
    func open(
        for manifest: Manifest, in manifestPath: String, isQuiet: Bool, _ renderer: DiagnosticRenderer
    ) throws -> AppJournal? {
        try ProgressLine.show("recovering \(path)", counting: ("entry", "entries"), if: showsProgress) {
            try open(for: manifest, in: manifestPath, isQuiet: isQuiet, renderer, $0)
        }
    }

    private func open(
        for manifest: Manifest, in manifestPath: String, isQuiet: Bool, _ renderer: DiagnosticRenderer,
        _ progress: ProgressLine?
    ) throws -> AppJournal? {
        let started = ContinuousClock.now
        do {
            if options.restart { try moveAway() }
            let lost = options.untilDamage ? try leaveDamage(of: manifest) : 0
            let store = try store(for: manifest)
            let journal = try AppJournal(
                store, of: manifest,
                AppJournal.Host(
                    version: SpinhostCommand.configuration.version, manifest: manifestPath, lostEpochs: lost),
                as: model, skipping: try skipped(in: store),
                reached: { progress?.report(done: Int(clamping: $0.next - 1)) },
                reading: { [path] () throws(JournalError) in try SQLiteStore(path: path, .read) })
            guard let recovery = journal.recovery else { return journal }
            if let end = recovery.end {
                journal.close()
                let time = JournalTime.dateAndTime(end.time)
                ErrorOutput.line(
                    "done at step \(CountText.grouped(Int(end.step))) (\(time)): nothing to continue; `--restart` begins again"
                )
                return nil
            }
            if let warning = secretWarning(journal.changedSecrets) {
                ErrorOutput.write(renderer.render(warning))
            }
            if let warning = JournalFault.forgotten(journal) { ErrorOutput.line(warning) }
            if options.skip == nil, let crashes = crashes(recovery, in: store) {
                journal.close()
                ErrorOutput.write(renderer.render(crashes))
                throw ExitStatus.unavailable
            }
            if !isQuiet { ErrorOutput.line(text(recovery, ContinuousClock.now - started)) }
            return journal
        } catch let error as JournalError {
            throw JournalFault.report(error, of: path)
        } catch let refusal as AppRefusal {
            ErrorOutput.write(renderer.render(refusal.diagnostics.map(advised), in: manifestPath))
            throw ExitStatus.invalidManifest
        }
    }

    private func text(_ recovery: AppJournal.Recovery, _ took: Duration) -> String {
        let parts = [
            CountText.count(recovery.loops, "loop"), CountText.count(Int(clamping: recovery.steps), "step"),
            recovery.runsAgain > 0 ? "\(CountText.count(recovery.runsAgain, "run")) begun again" : "",
        ]
        return
            "recovered: \(parts.filter { !$0.isEmpty }.joined(separator: ", ")), in \(CountText.time(took))"
    }

    private func store(for manifest: Manifest) throws(JournalError) -> SQLiteStore {
        let header = JournalHeader(newFor: manifest)
        let store = try SQLiteStore(
            path: path, .write(create: header, durability: model.durability == .off ? .off : .full))
        try JournalFault.refuse(store, of: path, ofOtherAppThan: manifest)
        if store.hasUnreliableLocks {
            let warning = Diagnostic(
                .warning, .unreliableLocks,
                "`\(path)` is on a file system whose locks may not hold: two hosts could write to it at once")
            ErrorOutput.write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(warning))
        }
        return store
    }

    /// Gives the file another name, `FILE.before-N`, so that a new journal begins.
    private func moveAway() throws(JournalError) {
        guard unsafe access(path, F_OK) == 0 else { return }
        // Opened and closed, the file has all that its log had, and no other host writes to it.
        _ = try SQLiteStore(path: path, .write(create: nil, durability: .full))
        // Safe because the paths are borrowed for the call.
        guard unsafe rename(path, KeptFile.name(for: path, "before")) == 0 else {
            throw JournalError(
                .inaccessible, "`\(path)` cannot be renamed: \(SystemError(number: errno).text)")
        }
    }
}

extension JournalHeader {
    /// The header of a new journal.
    init(newFor manifest: Manifest) {
        var seed = SystemRandomNumberGenerator()
        self.init(
            id: seed.next().hex + seed.next().hex, app: manifest.name, created: JournalTime.now,
            writer: "spinhost \(SpinhostCommand.configuration.version)")
    }
}
