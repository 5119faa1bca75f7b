import Diagnostics
import Dispatch
import Glibc
import HostLoop
import Manifest
import PluginCheck

/// Runs the commands that build plugins, one after the other. May be used from any thread.
final class PluginBuilder: Sendable {
    /// What became of a build.
    enum Outcome: Equatable {
        case built
        /// It did not come to a good end, for the reason, in words.
        case failed(String)
        /// It was ended with the app, or did not begin any more.
        case stopped
    }

    private struct State {
        var running: ShellProcess?
        var isStopped = false
    }

    /// How long a build may take to end once it is told to.
    private static let patience = DispatchTimeInterval.seconds(2)

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "spinhost.build")
    private let waiting = DispatchQueue(label: "spinhost.build.end")

    /// Builds the plugin after those that were asked for before; what the command prints appears on stderr as it is.
    ///
    /// - Parameter done: told on a thread of its own.
    func build(_ build: PluginBuild, _ done: @escaping @Sendable (Outcome) -> Void) {
        queue.async { [self] in done(run(build)) }
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

    /// Ends the build that runs, and begins none any more; returns when there is none.
    func stop() async {
        end(SIGTERM)
        waiting.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.end(SIGKILL) }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// The same with a signal, without waiting.
    func end(_ signal: Int32) {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.end(signal)
    }
}
