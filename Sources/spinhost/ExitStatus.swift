import ArgumentParser

/// The exit codes; `docs/command-line.md` lists them.
enum ExitStatus {
    /// The answer is no: faults were found, an `until` was not reached, a call failed.
    static let no = ExitCode(1)
    /// An unexpected error.
    static let unexpected = ExitCode(2)
    /// The command line is wrong.
    static let usage = ExitCode(64)
    /// A file cannot be read.
    static let unreadable = ExitCode(66)
    /// A plugin is not available, or an app cannot be reached.
    static let unavailable = ExitCode(69)
    /// The journal could not be written.
    static let journal = ExitCode(74)
    /// The manifest is invalid.
    static let invalidManifest = ExitCode(78)
}
