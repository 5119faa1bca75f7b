import HostLoop
import Logging
import Manifest
import PluginHost

/// Where the lines go that plugins log, as the manifest says that is in force. May be used from any thread.
final class LogOutlet: Sendable {
    private let current: Lock<Logger>

    init(_ model: LogModel, options: RunOptions) { current = Lock(Self.logger(model, options)) }

    /// What the host logs by.
    var logger: Logger { current.withLock { $0 } }

    /// From now on as another manifest says.
    func use(_ model: LogModel, options: RunOptions) {
        let logger = Self.logger(model, options)
        current.withLock { $0 = logger }
    }

    func log(_ line: PluginLogLine) { logger.log(line) }

    private static func logger(_ model: LogModel, _ options: RunOptions) -> Logger {
        LogLines.logger(
            LogModel(level: options.logLevel ?? model.level, format: options.logFormat ?? model.format))
    }
}
