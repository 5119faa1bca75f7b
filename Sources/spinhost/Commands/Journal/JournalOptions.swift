import App
import ArgumentParser
import Diagnostics
import Journal
import Manifest

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
        try Self.read(file) { try body(JournalReader($0)) }
    }

    /// The same, with a line that says how far a long read is.
    ///
    /// - Parameters:
    ///   - verb: what the command does with the file, such as `checking`.
    ///   - isWanted: false: there is no such line, as with `--json`.
    func read<Result>(
        _ secrets: JournalSecretOptions? = nil, showing verb: String, if isWanted: Bool = true,
        _ body: (JournalReader) throws -> Result
    ) throws -> Result {
        try ProgressLine.show("\(verb) \(file)", counting: ("entry", "entries"), if: isWanted) { progress in
            try Self.read(file) { store in
                try secrets?.conceal(in: store, file)
                return try body(
                    JournalReader(store) { progress?.report(done: Int(clamping: $0.next - 1)) })
            }
        }
    }

    /// The same for a command that prints states: secrets are replaced, unless the user wants to see them.
    func read<Result>(
        _ secrets: JournalSecretOptions, _ body: (JournalReader) throws -> Result
    ) throws -> Result {
        try Self.read(file, secrets, body)
    }

    /// The same for a file that is named otherwise.
    static func read<Result>(
        _ file: String, _ secrets: JournalSecretOptions, _ body: (JournalReader) throws -> Result
    ) throws -> Result {
        try read(file) { store in
            try secrets.conceal(in: store, file)
            return try body(JournalReader(store))
        }
    }

    private static func read<Result>(
        _ file: String, _ body: (SQLiteStore) throws -> Result
    ) throws -> Result {
        do {
            let store = try SQLiteStore(path: file, .read)
            if store.isTailMissing {
                ErrorOutput.line(
                    "warning: the newest entries of `\(file)` cannot be read here, and are missing")
            }
            return try body(store)
        } catch let error as JournalError { throw JournalFault.report(error, of: file) }
    }
}

/// Whether a command prints secrets that an app has put into its states.
struct JournalSecretOptions: ParsableArguments {
    @Flag(help: "Print secrets as they are, in place of `<secret>`.")
    var secrets = false

    @OptionGroup var manifestOptions: ManifestOptions

    /// Has all later output replace the secrets of the manifest: the one that the user names, or else the one that the
    /// journal names.
    ///
    /// - Throws: an exit code when a secret is not known here, after the reason was printed.
    func conceal(in store: SQLiteStore, _ file: String) throws {
        guard !secrets else { return }
        guard let path = try manifest(of: store, file) else { return }
        let loaded = App.loadManifest(path: path)
        guard loaded.manifest.map({ $0.name == store.header.app }) ?? true else {
            return warn("the manifest of `\(file)` is not known here: `\(path)` is of another app")
        }
        Redaction.conceal(loaded.secrets)
        let missing = loaded.diagnostics.filter { $0.code == ManifestCode.secretMissing.code }
        guard missing.isEmpty else {
            for diagnostic in missing { ErrorOutput.show(diagnostic) }
            ErrorOutput.line("error: `\(file)` may have that secret; `--secrets` prints states as they are")
            throw ExitStatus.unreadable
        }
        if loaded.manifest == nil, loaded.secrets.isEmpty {
            warn("the manifest `\(path)` of `\(file)` has faults, or cannot be read")
        }
    }

    private func manifest(of store: SQLiteStore, _ file: String) throws -> String? {
        if let given = manifestOptions.given { return given }
        guard let named = try JournalReader(store).end().state.epoch?.manifest else { return nil }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        let paths = [named, folder + named].filter { FileContent.read($0, atMost: 1) != nil }
        if paths.isEmpty { warn("the manifest `\(named)` of `\(file)` cannot be read") }
        return paths.first
    }

    private func warn(_ reason: String) {
        ErrorOutput.line(
            "warning: \(reason), so its secrets are not replaced; name it with `--manifest`, or say `--secrets`"
        )
    }
}
