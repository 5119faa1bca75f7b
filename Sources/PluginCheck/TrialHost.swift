import HostLoop
import Interfaces
import Isolation
import PluginHost

/// A host for the trial of a plugin. It records the reports about the plugin and ignores its output.
final class TrialHost: Sendable {
    let services: HostServices
    private let lines: Lines
    private let staging: StagingDirectory

    private final class Lines: Sendable {
        let all = Lock<[PluginLogLine]>([])
    }

    init() throws(PluginError) {
        let lines = Lines()
        self.lines = lines
        services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { StandardPlace.wallTime },
            log: { line in
                // Skips the plugin's own lines: only the host's reports count.
                if line.matter != .ofPlugin { lines.all.withLock { $0.append(line) } }
            }, output: { _ in true })
        // It does not remove the folders of earlier processes, because many trials may follow each other.
        staging = try StagingDirectory(sweeping: { _ in })
        // Loading the first library installs the host's signal handlers.
        _ = try PluginImage.open(.system("libc.so.6"), staging: staging, services: services)
    }

    /// A folder for files that the plugin creates. `close` removes it.
    var folder: String { staging.path }

    /// Loads another copy of the plugin.
    func open(_ path: String) throws(PluginError) -> PluginImage {
        let location: LibraryLocation
        do {
            location = try .resolve(
                library: path.contains("/") ? path : "./\(path)", manifestFolder: ".", pluginPath: [])
        } catch { throw PluginError(error.code, error.message, help: error.help, library: path) }
        return try .open(location, isGuarded: true, staging: staging, services: services)
    }

    /// The host's reports about the plugin of these kinds, without the lines that count repetitions.
    func reports(about matters: PluginLogLine.Matter...) -> [String] {
        lines.all.withLock { $0.map { $0 } }.filter { matters.contains($0.matter) }
            .map(\.text).filter { !$0.hasSuffix(" times by now)") }
    }

    /// Removes the copies of the plugin.
    func close() { staging.close() }
}
