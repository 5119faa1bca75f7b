import HostLoop
import Logging
import Manifest
import PluginHost

/// Writes the lines that the host and plugins log, with the settings of the present manifest. May be used
/// from any thread.
final class LogOutlet: Sendable {
    /// Where the lines can be watched.
    let tap = LogTap()
    private let current: Lock<Logger>

    init(_ model: LogModel, options: RunOptions) { current = Lock(Self.logger(model, options, tap)) }

    /// The present logger.
    var logger: Logger { current.withLock { $0 } }

    /// Changes to the settings of another manifest.
    func use(_ model: LogModel, options: RunOptions) {
        let logger = Self.logger(model, options, tap)
        current.withLock { $0 = logger }
    }

    func log(_ line: PluginLogLine) { logger.log(line) }

    private static func logger(_ model: LogModel, _ options: RunOptions, _ tap: LogTap) -> Logger {
        LogLines.logger(
            LogModel(level: options.logLevel ?? model.level, format: options.logFormat ?? model.format), tap)
    }
}
