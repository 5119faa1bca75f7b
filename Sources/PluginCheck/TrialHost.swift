import Glibc
import HostLoop
import Interfaces
import PluginHost

/// A host for a plugin that is tried: it takes what the plugin says and does nothing about it.
final class TrialHost: Sendable {
    /// Nothing happens here by chance: a crash in a call is an answer.
    let services: HostServices
    private let lines: Lines
    private let staging: StagingDirectory

    private final class Lines: Sendable {
        let said = Lock<[PluginLogLine]>([])
    }

    init() throws(PluginError) {
        let lines = Lines()
        self.lines = lines
        services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { Self.wallTime },
            log: { line in
                // What the plugin itself says is no answer to a question.
                if line.matter != .ofPlugin { lines.said.withLock { $0.append(line) } }
            }, output: { _ in true })
        // It may be one of many in a row, and somebody may wait for it.
        staging = try StagingDirectory(sweeping: { _ in })
        // The handlers of signals are the host's from the first library on.
        _ = try PluginImage.open(.system("libc.so.6"), staging: staging, services: services)
    }

    /// A folder that goes with this host, for files that nobody wants.
    var folder: String { staging.path }

    /// Loads the plugin, once more each time.
    func open(_ path: String) throws(PluginError) -> PluginImage {
        let location: LibraryLocation
        do {
            location = try .resolve(
                library: path.contains("/") ? path : "./\(path)", manifestFolder: ".", pluginPath: [])
        } catch { throw PluginError(error.code, error.message, help: error.help, library: path) }
        return try .open(location, isGuarded: true, staging: staging, services: services)
    }

    /// What the host has said about the plugin in these matters, without what it said again.
    func said(about matters: PluginLogLine.Matter...) -> [String] {
        lines.said.withLock { $0.map { $0 } }.filter { matters.contains($0.matter) }
            .map(\.text).filter { !$0.hasSuffix(" times by now)") }
    }

    /// Removes the copies of the plugin.
    func close() { staging.close() }

    private static var wallTime: Int64 {
        var time = timespec()
        // Safe because the call only writes the local it is given.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
