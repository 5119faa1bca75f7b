import Glibc
import Logging
import Manifest
import PluginHost
import Records

/// Writes the log to stderr, one line for each entry.
struct LogLines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    private let format: LogModel.Format

    /// The log of a run.
    static func logger(_ model: LogModel) -> Logger {
        Logger(label: "spinhost") { _ in LogLines(model) }
    }

    private init(_ model: LogModel) {
        (logLevel, format) = (Logger.Level(rawValue: model.level.rawValue) ?? .info, model.format)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let entries = metadata.merging(event.metadata ?? [:]) { $1 }
        ErrorOutput.line(
            Self.line(
                event.level, "\(event.message)", metadata: entries.mapValues { "\($0)" }, format: format,
                at: Self.now))
    }

    /// The line of one entry.
    ///
    /// - Parameter nanoseconds: since the Unix epoch.
    static func line(
        _ level: Logger.Level, _ message: String, metadata: [String: String], format: LogModel.Format,
        at nanoseconds: Int64
    ) -> String {
        switch format {
        case .text:
            let plugin = metadata["plugin"].map { "plugin `\($0)`: " } ?? ""
            return "\(level.rawValue): \(plugin)\(message)"
        case .json:
            let time = Value.timestamp(Timestamp(nanosecondsSinceEpoch: nanoseconds))
            let entries = metadata.sorted { $0.key < $1.key }.map { ($0.key, Value.string($0.value)) }
            return Value.record(
                [("time", time), ("level", .string(level.rawValue)), ("message", .string(message))] + entries
            ).json
        }
    }

    private static var now: Int64 {
        var time = timespec()
        // Safe because the structure lives for the call.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Logger {
    /// Logs a line of a plugin.
    func log(_ line: PluginLogLine) {
        var metadata: Metadata = ["plugin": "\(line.plugin)"]
        if !line.version.isEmpty { metadata["version"] = "\(line.version)" }
        log(level: line.loggerLevel, "\(line.text)", metadata: metadata)
    }
}

extension PluginLogLine {
    /// The level for the plugin's number. Numbers below trace mean trace, and numbers above error mean error.
    fileprivate var loggerLevel: Logger.Level {
        switch level {
        case ..<(-1): .trace
        case -1: .debug
        case 0: .info
        case 1: .warning
        default: .error
        }
    }
}
