/// What is logged, and how it is written: `app.log`.
public struct LogModel: Hashable, Sendable {
    /// How much a line matters, from least to most.
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, warning, error
    }

    /// How a line is written.
    public enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object per line.
        case json
    }

    /// Lines below it are left out.
    public let level: Level
    /// How lines are written.
    public let format: Format

    /// Lines of a level and above, written in a format.
    public init(level: Level, format: Format) { (self.level, self.format) = (level, format) }

    /// What holds without `log`.
    public static let standard = LogModel(level: .info, format: .text)
}
