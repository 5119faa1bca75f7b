import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest

/// A journal's error as the user sees it.
enum JournalFault {
    /// The diagnostic of an error.
    static func diagnostic(_ error: JournalError, of path: String) -> Diagnostic {
        Diagnostic(.error, code(error.kind), message(error, path), help: help(error.kind))
    }

    /// Prints an error.
    ///
    /// - Returns: the exit code.
    static func report(_ error: JournalError, of path: String) -> ExitCode {
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render(diagnostic(error, of: path)))
        return status(error.kind)
    }

    /// The exit code of an error.
    static func status(_ kind: JournalError.Kind) -> ExitCode {
        switch kind {
        case .noLibrary, .inUse, .otherApp: ExitStatus.unavailable
        case .damaged, .newer, .inaccessible, .notAJournal: ExitStatus.unreadable
        case .notDurable, .notNext: ExitStatus.journal
        }
    }

    /// A warning of runs that a changed manifest has no place for; nil without any.
    static func forgotten(_ journal: AppJournal) -> String? {
        guard journal.forgottenRuns > 0 else { return nil }
        let runs = CountText.count(journal.forgottenRuns, "run")
        return
            "warning: \(runs) of effects on events cannot begin again: the states or events have another shape now"
    }

    /// - Throws: `.otherApp` when the journal is of another app than the manifest.
    static func refuse(
        _ store: SQLiteStore, of path: String, ofOtherAppThan manifest: Manifest
    ) throws(JournalError) {
        guard store.header.app != manifest.name else { return }
        throw JournalError(
            .otherApp,
            "`\(path)` is the journal of app `\(store.header.app)`, and the manifest is of `\(manifest.name)`"
        )
    }

    private static func message(_ error: JournalError, _ path: String) -> String {
        switch error.kind {
        case .damaged: "`\(path)` is \(error.description)"
        default: error.description
        }
    }

    private static func code(_ kind: JournalError.Kind) -> DiagnosticCode {
        switch kind {
        case .noLibrary: .noJournalLibrary
        case .damaged: .journalDamaged
        case .newer: .journalTooNew
        case .inaccessible, .notAJournal: .noJournal
        case .inUse: .journalInUse
        case .otherApp: .journalOfOtherApp
        case .notDurable, .notNext: .journalNotDurable
        }
    }

    private static func help(_ kind: JournalError.Kind) -> [String] {
        switch kind {
        case .noLibrary: ["install it: sudo apt install libsqlite3-0"]
        case .damaged(let position):
            [
                position > 1
                    ? "`spinhost journal show` prints what is before, up to @\(position - 1)"
                    : "nothing before it can be read; use a backup, or begin again with `--restart`",
                position > 1 ? "`spinhost run --until-damage` continues from there in a new file" : nil,
            ].compactMap { $0 }
        case .newer: ["use that version of spinhost, or a later one"]
        case .inaccessible: []
        case .notAJournal: ["name another file; this one was not changed"]
        case .inUse: ["stop it, or name another file with `--journal`"]
        case .otherApp: ["name another file, or begin a new journal with `--restart`"]
        case .notDurable, .notNext: ["all that was committed before is in the file; start the app again"]
        }
    }
}
