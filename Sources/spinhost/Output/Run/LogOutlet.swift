import App
import Diagnostics
import HostLoop
import Logging
import Manifest
import PluginHost

/// Writes the lines that the host and plugins log, with the settings of the present manifest. May be used
/// from any thread.
final class LogOutlet: Sendable {
    /// Where the lines can be watched.
    let tap = LogTap()
    private struct State {
        var logger: Logger
        /// Whether entries go to the system's journal.
        var isJournal: Bool
        /// The position of the newest entry in the app's journal.
        var position: @Sendable () -> UInt64? = { nil }
    }

    private let options: RunOptions
    private let journal: SystemJournal
    private let state: Lock<State>

    /// - Parameter journal: the system's journal.
    init(_ model: LogModel, options: RunOptions, journal: SystemJournal = .standard) {
        (self.options, self.journal) = (options, journal)
        state = Lock(Self.state(model, options, journal, tap))
    }

    /// The present logger.
    var logger: Logger { state.withLock { $0.logger } }

    /// Changes to the settings of another manifest.
    func use(_ model: LogModel) {
        let next = Self.state(model, options, journal, tap)
        state.withLock { ($0.logger, $0.isJournal) = (next.logger, next.isJournal) }
    }

    /// From now on, faults in the system's journal have this position in the app's journal.
    func usePosition(_ position: @escaping @Sendable () -> UInt64?) {
        state.withLock { $0.position = position }
    }

    func log(_ line: PluginLogLine) { logger.log(line) }

    /// Writes a fault to the system's journal.
    ///
    /// - Returns: false when the log is elsewhere, or the journal does not take the fault.
    func write(_ fault: AppFault) -> Bool {
        let (isJournal, position) = state.withLock { ($0.isJournal, $0.position) }
        guard isJournal else { return false }
        let feedback = fault.part.hasPrefix("feedback:") ? String(fault.part.dropFirst(9)) : nil
        return write(
            [fault.placed], nil,
            [
                ("LOOP", fault.loop), ("FEEDBACK", feedback), ("STEP", String(fault.step)),
                ("POSITION", position().map { String($0) }),
            ])
    }

    /// Writes diagnostics and a line after them to the system's journal, as one entry.
    ///
    /// - Parameter fields: the entry has those that are not nil.
    /// - Returns: false when the log is elsewhere, or the journal does not take the entry.
    func write(
        _ diagnostics: [Diagnostic], _ line: String?, _ fields: [(name: String, value: String?)] = []
    ) -> Bool {
        guard state.withLock({ $0.isJournal }) else { return false }
        let isError = diagnostics.contains { $0.severity == .error }
        let texts =
            diagnostics.map { DiagnosticRenderer(color: false).render($0) } + (line.map { [$0] } ?? [])
        var text = texts.joined(separator: "\n")
        while text.last == "\n" { text.removeLast() }
        return SystemLogEntry(
            text, isError ? .error : diagnostics.isEmpty ? .info : .warning,
            [("CODE", diagnostics.first?.code.rawValue)] + fields
        ).write(to: journal)
    }

    private static func state(
        _ model: LogModel, _ options: RunOptions, _ journal: SystemJournal, _ tap: LogTap
    ) -> State {
        let format =
            options.logFormat ?? model.format ?? (SystemJournal.hasErrorOutput ? .journal : .text)
        return State(
            logger: LogLines.logger(options.logLevel ?? model.level, format, journal, tap),
            isJournal: format == .journal)
    }
}
