import ArgumentParser

/// What the exit codes mean; `docs/command-line.md` lists them.
enum ExitStatus {
    /// The answer is no: faults found, an `until` not reached, a call that failed.
    static let no = ExitCode(1)
    /// Something unexpected.
    static let unexpected = ExitCode(2)
    /// The command line is wrong.
    static let usage = ExitCode(64)
    /// A file cannot be read.
    static let unreadable = ExitCode(66)
    /// A plugin is not available, or an app is not reached.
    static let unavailable = ExitCode(69)
    /// The manifest is invalid.
    static let invalidManifest = ExitCode(78)
}
