public import Diagnostics

/// How to build the library of a plugin from its sources: `source` and `build` of `[plugins.NAME]`.
public struct PluginBuild: Sendable {
    /// The build command.
    public enum Command: Sendable, Equatable {
        /// A line for the shell.
        case line(String)
        /// A program, looked up in `PATH` unless it contains a slash, and its arguments.
        case words([String])
    }

    /// The plugin's name in the manifest.
    public let plugin: String
    /// The absolute path of the file to build.
    public let library: String
    /// The folder of the manifest, as the user gave its path. The command runs in this folder.
    public let folder: String
    /// The absolute paths of files and folders, which need not exist.
    public let sources: [String]
    /// The command; nil if the manifest has no `build`.
    public let command: Command?
    /// The key `source`.
    public let span: SourceSpan
    /// The value of `library`, the span for reports about the file.
    public let librarySpan: SourceSpan
}
