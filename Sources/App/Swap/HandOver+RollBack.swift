import Diagnostics
import Dispatch
import HostLoop
import PluginHost

// The way back to the instances that sat there before the last swap.
extension HandOver {
    /// Frees what was kept.
    func discardKept() {
        takeKept()
        discard(changes.map(\.old))
    }

    /// Has the kept instances of a plugin sit where they sat, with the state that they had, in place of those that failed. Calls that
    /// go on are made anew for them.
    ///
    /// - Returns: whether calls go to the kept ones, and what is wrong with that.
    func rollBack() -> (isBack: Bool, faults: [Diagnostic]) {
        guard case .begun = life.beginExchange() else {
            return (false, [.notSwapped("the app ends, or a function of the last swap has not returned")])
        }
        defer { if !isLeft.withLock({ $0 }) { life.endExchange() } }
        for change in changes { change.seat.close() }
        do throws(Failure) { try settleCalls(until: ContinuousClock.now.advanced(by: limit)) } catch {
            for change in changes { change.seat.open() }
            return (false, error.diagnostics)
        }
        takeKept()
        let bad = changes.map(\.new)
        // One that does not return is left as it is: the others do not depend on it.
        let isStopped = timed(limit) {
            for instance in bad.reversed() where instance.isStarted { instance.stop() }
            return true
        }
        let faults = goBack().faults
        _ = SwapFlip(run, users, plugin: plugin).flip(from: new, to: old, within: limit)
        if isStopped == true { discard(bad) }
        return (true, faults)
    }

    /// Takes what was kept from the end of the run, which would free it: within an exchange only.
    private func takeKept() { for change in changes { _ = change.seat.keep(nil) } }
}
