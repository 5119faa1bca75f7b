import App
import Glibc
import HostLoop

/// Tells the service manager how the host is doing. May be used from any thread.
final class ServiceReport: Sendable {
    private struct State {
        var pulse: ServicePulse
        var isStopping = false
    }

    private let manager: ServiceManager
    private let origin = ContinuousClock.now
    private let patience: Duration
    private let state: Lock<State>

    /// - Parameter patience: how long a recovery may take before the manager gets a request for more time. More is
    ///   requested each half of it.
    init(_ manager: ServiceManager, patience: Duration = .seconds(10)) {
        (self.manager, self.patience) = (manager, patience)
        state = Lock(State(pulse: ServicePulse(watchdog: manager.watchdog)))
    }

    /// Recovers the journal, and asks the manager for more time while that lasts.
    func recovering<Result>(_ recover: () throws -> Result) rethrows -> Result {
        let (began, ticker) = (ContinuousClock.now, Ticker("spinhost.recovery", every: patience / 2))
        ticker.start { [manager, patience] in
            let took = ContinuousClock.now - began
            guard took >= patience else { return }
            // Enough for some further requests to come late.
            let more = patience * 3
            manager.tell([
                "EXTEND_TIMEOUT_USEC=\(Int64(more / .microseconds(1)))",
                "STATUS=recovering the journal for \(CountText.time(took))",
            ])
        }
        defer { ticker.stop() }
        return try recover()
    }

    /// All loops of the app have begun.
    func ready(_ run: AppRun, loops: Int) {
        tell { $0.ready(Self.status(run, loops), at: now) }
    }

    /// The watchdog has looked at the calls of the app's plugins; called on its thread.
    func looked(_ run: AppRun, loops: Int, isHeld: Bool) {
        tell { pulse in
            pulse.looked(
                Self.status(run, loops), isHeld: isHeld, at: now,
                every: Watchdog.interval)
        }
    }

    /// The manifest is being read again; `reloaded` follows.
    func reloading() { manager.tell(["RELOADING=1", "MONOTONIC_USEC=\(Self.monotonic)"]) }

    /// The app continues, with the changed manifest or with the one before.
    func reloaded() { manager.tell(["READY=1"]) }

    /// The host is ending. Further calls do nothing.
    func stopping() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { manager.tell(["STOPPING=1"]) }
    }

    private static func status(_ run: AppRun, _ loops: Int) -> String {
        let counters = run.counters
        return ServicePulse.status(loops: loops, steps: counters.steps, faults: counters.faults)
    }

    private func tell(_ decide: (inout ServicePulse) -> [String]) {
        manager.tell(state.withLock { $0.isStopping ? [] : decide(&$0.pulse) })
    }

    private var now: Duration { ContinuousClock.now - origin }

    /// The clock that the manager compares with its own, in microseconds.
    private static var monotonic: Int64 {
        var time = timespec()
        // Safe because the structure lives for the call.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
