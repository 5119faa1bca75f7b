public import Diagnostics

/// How the library of a plugin is made of its sources: `source` and `build` of `[plugins.NAME]`.
public struct PluginBuild: Sendable {
    /// What is to be done.
    public enum Command: Sendable, Equatable {
        /// A line for the shell.
        case line(String)
        /// A program, looked up in `PATH` unless it contains a slash, and its arguments.
        case words([String])
    }

    /// The plugin's name in the manifest.
    public let plugin: String
    /// The file to make, an absolute path; a bare name is one in the manifest's folder.
    public let library: String
    /// The folder of the manifest, as its path was given, in which the command is run.
    public let folder: String
    /// Files and folders, absolute paths, which need not be there.
    public let sources: [String]
    /// What builds it; nil when the manifest does not say.
    public let command: Command?
    /// The key `source`.
    public let span: SourceSpan
    /// The value of `library`, where reports of the file stand.
    public let librarySpan: SourceSpan
}
