import ArgumentParser
import Journal

/// `spinhost journal`
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Read a journal: what happened, and the states at any point.",
        subcommands: [
            JournalShowCommand.self, JournalAtCommand.self, JournalVerifyCommand.self,
            JournalPruneCommand.self, JournalMigrateCommand.self,
        ])
}

/// The file of a journal.
struct JournalOptions: ParsableArguments {
    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    init() {}

    /// The file of a verb that has another name for it.
    init(of file: String) { self.file = file }

    /// Opens the file to read, also while an app writes to it, and calls `body`.
    ///
    /// - Throws: an exit code, after the reason was printed.
    func read<Result>(_ body: (JournalReader) throws -> Result) throws -> Result {
        do {
            let store = try SQLiteStore(path: file, .read)
            if store.isTailMissing {
                ErrorOutput.line(
                    "warning: the newest entries of `\(file)` cannot be read here, and are missing")
            }
            return try body(JournalReader(store))
        } catch let error as JournalError { throw JournalFault.report(error, of: file) }
    }
}
