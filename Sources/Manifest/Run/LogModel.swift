/// Which lines the host logs, and in which format: `app.log`.
public struct LogModel: Hashable, Sendable {
    /// The importance of a line, from least to most.
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, warning, error
    }

    /// The format of a line.
    public enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object per line.
        case json
        /// Entries of the system's journal, with named fields.
        case journal
    }

    /// The lowest level that is logged.
    public let level: Level
    /// The format of lines; nil: text, or `journal` when the standard error output leads to the system's journal.
    public let format: Format?

    /// Lines of a level and above, written in a format.
    public init(level: Level, format: Format?) { (self.level, self.format) = (level, format) }

    /// The default: `info` and above.
    public static let standard = LogModel(level: .info, format: nil)
}
