import Glibc
import Logging
import Manifest
import PluginHost
import Records

/// Writes the log to stderr, one line for each entry, or to the system's journal.
struct LogLines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    private let format: LogModel.Format
    private let journal: SystemJournal
    private let tap: LogTap

    /// The log of a run.
    ///
    /// - Parameters:
    ///   - journal: takes the entries, if the format says so.
    ///   - tap: where the lines can be watched.
    static func logger(
        _ level: LogModel.Level, _ format: LogModel.Format, _ journal: SystemJournal, _ tap: LogTap
    ) -> Logger {
        Logger(label: "spinhost") { _ in LogLines(level, format, journal, tap) }
    }

    private init(
        _ level: LogModel.Level, _ format: LogModel.Format, _ journal: SystemJournal, _ tap: LogTap
    ) {
        logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
        (self.format, self.journal, self.tap) = (format, journal, tap)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var entries = metadata.merging(event.metadata ?? [:]) { $1 }
        var fields = LogFields()
        if case .stringConvertible(let given as LogFields)? = entries[Self.fieldsKey] {
            fields = given
            entries[Self.fieldsKey] = nil
        }
        let (now, metadata) = (Self.now, entries.mapValues { "\($0)" })
        let text = Self.text("\(event.message)", fields)
        tap.logged(
            LogTap.Line(time: now, level: event.level.rawValue, plugin: metadata["plugin"], text: text))
        if format == .journal {
            let entry = SystemLogEntry(
                text, event.level,
                [("PLUGIN", metadata["plugin"]), ("PLUGIN_VERSION", metadata["version"])])
            if entry.write(to: journal) { return }
        }
        ErrorOutput.line(
            Self.line(
                event.level, "\(event.message)", fields, metadata: metadata, format: format, at: now))
    }

    /// The key of the fields of a plugin's line in the metadata.
    fileprivate static let fieldsKey = "fields"

    /// The line of one entry; of one that the system's journal does not take, the text.
    ///
    /// - Parameter nanoseconds: since the Unix epoch.
    static func line(
        _ level: Logger.Level, _ message: String, _ fields: LogFields, metadata: [String: String],
        format: LogModel.Format, at nanoseconds: Int64
    ) -> String {
        switch format {
        case .text, .journal:
            let plugin = metadata["plugin"].map { "plugin `\($0)`: " } ?? ""
            return "\(level.rawValue): \(plugin)\(text(message, fields))"
        case .json:
            let time = Value.timestamp(Timestamp(nanosecondsSinceEpoch: nanoseconds))
            let entries = metadata.sorted { $0.key < $1.key }.map { ($0.key, Value.string($0.value)) }
            let named = fields.all.isEmpty ? [] : [("fields", fields.value)]
            return Value.record(
                [("time", time), ("level", .string(level.rawValue)), ("message", .string(message))] + entries
                    + named
            ).json
        }
    }

    /// The message, and its fields.
    private static func text(_ message: String, _ fields: LogFields) -> String {
        fields.all.isEmpty ? message : "\(message) \(fields)"
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
        if !line.fields.all.isEmpty { metadata[LogLines.fieldsKey] = .stringConvertible(line.fields) }
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
