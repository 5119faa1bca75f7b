import ArgumentParser

/// `spinhost journal`
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Read a journal: what happened, and the states at any point.",
        subcommands: [
            JournalShowCommand.self, JournalAtCommand.self, JournalDiffCommand.self,
            JournalVerifyCommand.self, JournalExportCommand.self, JournalImportCommand.self,
            JournalPruneCommand.self, JournalMigrateCommand.self,
        ])
}
