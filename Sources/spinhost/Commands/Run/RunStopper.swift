import App
import Glibc
import HostLoop
import PluginHost
import UnixSignals

/// Stops a run on the first signal, in order, and ends the process on the second.
final class RunStopper: Sendable {
    private struct State {
        var run: AppRun?
        var isStopped = false
        var outputFailure: PluginError?
        var interrupts: [@Sendable () -> Void] = []
        var reload: (@Sendable () -> Void)?
        var leave: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    /// The descriptors that were a terminal at the start.
    private let terminals = [STDIN_FILENO, STDERR_FILENO].filter(Terminal.isTerminal)

    /// The run to stop; at once if something asked for it before.
    func watch(_ run: AppRun) {
        let isStopped = state.withLock { state in
            state.run = run
            return state.isStopped
        }
        if isStopped { run.stop() }
    }

    /// True once something asked for the end.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// What else is told to end when the run is stopped.
    func onStop(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.interrupts.append(body) }
    }

    /// What is done at a signal that asks to read the manifest again.
    func onReload(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.reload = body } }

    /// What is done before the second signal ends the process at once.
    func onLeaving(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.leave = body } }

    /// Stops the run; harmless when repeated.
    func stop() {
        let (run, interrupts) = state.withLock { state in
            state.isStopped = true
            return (state.run, state.interrupts)
        }
        for interrupt in interrupts { interrupt() }
        run?.stop()
    }

    /// Stops the run because stdout cannot be written. That its reader has gone is an orderly end; anything else is
    /// kept for `throwOutputFailure`.
    func stop(after failure: PluginError) {
        if failure.code != .outputClosed {
            state.withLock { $0.outputFailure = $0.outputFailure ?? failure }
        }
        stop()
    }

    /// - Throws: an exit code, after the reason was printed, if stdout could not be written.
    func throwOutputFailure() throws {
        guard let failure = state.withLock({ $0.outputFailure }) else { return }
        ErrorOutput.show(failure)
        throw ExitStatus.unexpected
    }

    /// Waits for SIGHUP until it is cancelled: the manifest is read again, or the run stops if its terminal has gone.
    func reload(at hangUps: UnixSignalsSequence) async {
        for await _ in hangUps {
            if terminals.allSatisfy(Terminal.isTerminal) { state.withLock { $0.reload }?() } else { stop() }
        }
    }

    /// Waits for signals until it is cancelled.
    func stop(at signals: UnixSignalsSequence) async {
        var isFirst = true
        for await signal in signals {
            if isFirst {
                isFirst = false
                stop()
                continue
            }
            let running = state.withLock { $0.run }?.running ?? []
            ErrorOutput.line(
                running.isEmpty
                    ? "ended at once" : "ended at once while \(running.joined(separator: ", ")) ran")
            state.withLock { $0.leave }?()
            _exit(128 + signal.rawValue)
        }
    }
}
