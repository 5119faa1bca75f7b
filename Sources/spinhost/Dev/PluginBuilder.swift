import Diagnostics
import Dispatch
import Glibc
import HostLoop
import Manifest
import PluginHost

/// Runs the commands that build plugins, one after the other, for all apps that follow each other. May be used from any thread.
final class PluginBuilder: Sendable {
    /// What became of a build.
    enum Outcome: Equatable {
        /// The library is that of the sources.
        case built
        /// It did not come to a good end, for the reason, in words.
        case failed(String)
        /// It was ended with the app, or did not begin any more.
        case stopped
    }

    /// Why a build is asked for; whether that holds still is asked again when its turn comes.
    enum Reason {
        /// The library is not there, or older than a source, or not that of the sources as they are.
        case outdated
        /// The sources have changed since they were built.
        case changed
        /// The manifest has other records than the library was compiled with: the build may write a header with them.
        case otherRecords
    }

    private struct State {
        var running: ShellProcess?
        var isStopped = false
        /// The sources of which a library was built last, by its path.
        var built: [String: SourceTree] = [:]
    }

    /// How long a build may take to end once it is told to.
    private static let patience = DispatchTimeInterval.seconds(2)

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "spinhost.build")
    private let waiting = DispatchQueue(label: "spinhost.build.end")

    /// Builds the plugin after those that were asked for before; what the command prints appears on stderr as it is.
    ///
    /// - Parameter done: told on a thread of its own.
    func build(
        _ build: PluginBuild, because reason: Reason, _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        queue.async { [self] in
            let tree = SourceTree(build.sources)
            let before = state.withLock { $0.built[build.library] }
            let isWanted =
                switch reason {
                case .outdated: tree.isNewer(than: build.library) || before != nil && before != tree
                case .changed: before != tree
                case .otherRecords: true
                }
            guard isWanted else { return done(.built) }
            let outcome = run(build)
            state.withLock { $0.built[build.library] = outcome == .built ? tree : nil }
            done(outcome)
        }
    }

    private func run(_ build: PluginBuild) -> Outcome {
        let line: String
        do throws(Diagnostic) { line = try BuildLine.line(for: build) } catch {
            return .failed(error.message)
        }
        let process = state.withLock { state -> ShellProcess?? in
            guard !state.isStopped else { return .some(nil) }
            state.running = ShellProcess(line, inGroup: true)
            return state.running.map { .some($0) }
        }
        guard let process else { return .failed("there is no room for a process") }
        guard let process else { return .stopped }
        let status = process.wait()
        let isStopped = state.withLock { state in
            state.running = nil
            return state.isStopped
        }
        if status == 0 { return .built }
        if isStopped { return .stopped }
        guard let status else { return .failed("nobody knows how it ended") }
        let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
        return .failed(signal == 0 ? "exit code \(code)" : SignalName.name(signal))
    }

    /// Asks the build that runs to end, kills it if it has not after two seconds, and begins none any more; does not wait.
    func end() {
        end(SIGTERM)
        waiting.asyncAfter(deadline: .now() + Self.patience) { [self] in kill() }
    }

    /// Ends the build that runs at once, and begins none any more.
    func kill() { end(SIGKILL) }

    /// Does as `end`, and waits until no build runs.
    func stop() async {
        end()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func end(_ signal: Int32) {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.end(signal)
    }
}
