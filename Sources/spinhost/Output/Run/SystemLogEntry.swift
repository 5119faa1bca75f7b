import Logging

/// An entry of the log for the system's journal.
struct SystemLogEntry {
    private let fields: [(name: String, value: String)]

    /// - Parameter more: further fields; those that are nil are left out.
    init(_ message: String, _ level: Logger.Level, _ more: [(name: String, value: String?)]) {
        fields =
            [
                ("MESSAGE", message), ("PRIORITY", String(Self.priority(of: level))),
                ("SYSLOG_IDENTIFIER", "spinhost"),
            ] + more.compactMap { field in field.value.map { (field.name, $0) } }
    }

    /// Writes the entry, with replaced secrets.
    ///
    /// - Returns: false when the journal does not take it.
    func write(to journal: SystemJournal) -> Bool {
        journal.write(fields.map { ($0.name, Redaction.redacted($0.value)) })
    }

    /// The priority of syslog(3).
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
