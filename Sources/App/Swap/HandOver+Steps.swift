import Diagnostics
import Dispatch
import HostLoop
import PluginHost

// What happens to the instances, one step after the other.
extension HandOver {
    /// Makes the new ones.
    func create() throws(Failure) {
        let failure = timed(limit) { [self] () -> PluginError? in
            do throws(PluginError) {
                for change in changes {
                    try life.calling("create", change.seat) { () throws(PluginError) in
                        try change.new.create()
                    }
                }
                return nil
            } catch {
                destroyNew()
                return error
            }
        } late: { [self] in
            if $0 == nil { destroyNew() }
        }
        try check(failure, "create")
    }

    /// Waits until no call is made for the old ones; calls that go on are taken back, to be made anew.
    func settleCalls(until deadline: ContinuousClock.Instant) throws(Failure) {
        // What blocks a queue may wait for its cancellation. In a loop nothing blocks at the end of its step.
        try withdrawCalls(for: changes.map(\.seat).filter { $0.lane != nil }, until: deadline)
        let loops = StepBarrier.wait(run, users, within: ContinuousClock.now.duration(to: deadline))
        if let loop = loops { throw Failure(diagnostics: [.held(life.loops[loop], limit)]) }
        for change in changes where change.seat.lane != nil {
            let idle = DispatchSemaphore(value: 0)
            change.seat.whenIdle { idle.signal() }
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard idle.wait(timeout: .now() + rest / .seconds(1)) == .success else {
                throw Failure(diagnostics: [.late("a call of \(change.seat.name)", limit)])
            }
        }
        try withdrawCalls(for: changes.map(\.seat), until: deadline)
    }

    /// Takes back calls that go on, which calls what they gave to `spin_on_cancel`.
    private func withdrawCalls(
        for seats: [InstanceSeat], until deadline: ContinuousClock.Instant
    ) throws(Failure) {
        let calls = seats.flatMap { seat in
            // The newest first, as each comes before those that wait.
            seat.instance.image.sinks.compactMap { $0 as? EmittingRun }.sorted { $0.number > $1.number }
                .map { (seat: seat, run: $0) }
        }
        guard !calls.isEmpty else { return }
        let isDone = timed(ContinuousClock.now.duration(to: deadline)) { [life] in
            for (seat, run) in calls { life.calling("cancellation", seat) { _ = run.withdraw(to: seat) } }
            return true
        } late: { [life] _ in
            life.endExchange()
        }
        guard isDone == true else {
            isLeft.withLock { $0 = true }
            throw Failure(diagnostics: [.late(life.calling ?? "cancellation", limit)])
        }
    }

    /// Stops the old ones, and takes what they hand over.
    ///
    /// - Returns: a state for each change; nil for one that hands none over.
    func takeStates(until deadline: ContinuousClock.Instant) throws(Failure) -> [SavedState?] {
        let rest = ContinuousClock.now.duration(to: deadline)
        let taken = timed(rest) { [self] () -> Result<[SavedState?], Failure> in
            for change in changes.reversed() where change.old.isStarted {
                life.calling("stop", change.seat) { change.old.stop() }
            }
            let idle = DispatchSemaphore(value: 0)
            old.image.whenIdle { idle.signal() }
            // Effects without an instance may work for as long as the app runs: none of the functions is called any more, and the old
            // one can go on before the time is over.
            guard idle.wait(timeout: .now() + rest * 0.8 / .seconds(1)) == .success else {
                return .failure(Failure(diagnostics: [workIsLate]))
            }
            do throws(PluginError) {
                var states: [SavedState?] = []
                for change in changes { states.append(try state(of: change)) }
                return .success(states)
            } catch { return .failure(Failure(diagnostics: [Diagnostic(error)])) }
        } late: { [self] _ in
            // Only now, as one function of an instance is called at a time.
            if goBack().isOver { life.endExchange() }
        }
        switch taken {
        case .success(let states): return states
        case .failure(let error):
            discard(changes.map(\.new))
            throw Failure(diagnostics: error.diagnostics + goBack().faults)
        case nil:
            isLeft.withLock { $0 = true }
            let fault = life.calling.map { Diagnostic.late($0, limit) } ?? workIsLate
            discard(changes.map(\.new))
            throw Failure(diagnostics: [fault])
        }
    }

    private var workIsLate: Diagnostic { .late("work of \(changes.first?.seat.name ?? "")", limit) }

    /// What an old instance hands over; nil for nothing, as after a crash, when it is not asked.
    private func state(of change: Change) throws(PluginError) -> SavedState? {
        guard change.old.savesState, !change.seat.isVacant, !old.image.isQuarantined else { return nil }
        do throws(PluginError) {
            return try life.calling("save", change.seat) { () throws(PluginError) in try change.old.save() }
        } catch {
            guard old.image.isQuarantined else { throw error }
            return nil
        }
    }

    /// Has what the old ones have handed over restored elsewhere.
    func tryRestoring(_ states: [SavedState]) throws(Failure) {
        guard !states.isEmpty else { return }
        let (reason, isOfNewVersion): (Diagnostic, Bool)
        switch trial(states) {
        case .passed: return
        case .refused(let diagnostic): (reason, isOfNewVersion) = (diagnostic, true)
        case .failed(let diagnostic): (reason, isOfNewVersion) = (diagnostic, false)
        }
        discard(changes.map(\.new))
        let after = goBack().faults
        throw Failure(diagnostics: [reason] + after, isOfNewVersion: isOfNewVersion && after.isEmpty)
    }

    /// Gives the new ones what the old ones have handed over, and starts them.
    func startNew(with states: [SavedState?], until deadline: ContinuousClock.Instant) throws(Failure) {
        let rest = ContinuousClock.now.duration(to: deadline)
        let failure = timed(rest) { [self] () -> PluginError? in
            do throws(PluginError) {
                for (change, state) in zip(changes, states) {
                    guard let state else { continue }
                    try life.calling("restore", change.seat) { () throws(PluginError) in
                        try change.new.restore(state)
                    }
                }
                for change in changes {
                    try life.calling("start", change.seat) { () throws(PluginError) in
                        try change.new.start()
                    }
                }
                return nil
            } catch {
                stopNew()
                destroyNew()
                return error
            }
        } late: { [self] failure in
            guard failure == nil else { return }
            stopNew()
            destroyNew()
        }
        do throws(Failure) { try check(failure, "start") } catch {
            let after = goBack().faults
            throw Failure(diagnostics: error.diagnostics + after, isOfNewVersion: after.isEmpty)
        }
    }

    /// - Parameter failure: nil when the function did not return.
    private func check(_ failure: PluginError??, _ function: String) throws(Failure) {
        switch failure {
        case .some(nil): break
        case .some(let error?): throw Failure(diagnostics: [Diagnostic(error)], isOfNewVersion: true)
        case nil:
            throw Failure(
                diagnostics: [.late(life.calling ?? function, limit)], isOfNewVersion: true)
        }
    }

    private func stopNew() {
        for change in changes.reversed() where change.new.isStarted { change.new.stop() }
    }

    private func destroyNew() {
        for change in changes.reversed() where change.new.isMade { change.new.destroy() }
    }
}

extension Diagnostic {
    static func notSwapped(_ reason: String, help: String? = nil) -> Diagnostic {
        Diagnostic(.error, .notSwapped, reason, help: help.map { [$0] } ?? [])
    }

    /// A loop does not come to the end of its step.
    static func held(_ loop: String, _ limit: Duration) -> Diagnostic {
        .notSwapped(
            "loop `\(loop)` did not come to the end of its step within \(limit)",
            help: "give effects that wait an `executor`, or let them take `spin_call *` and emit later")
    }

    /// Something of a plugin does not return.
    static func late(_ what: String, _ limit: Duration) -> Diagnostic {
        Diagnostic(.error, .notReturned, "`\(what)` did not return within \(limit)")
    }
}

extension DiagnosticCode {
    /// P081: a function of an instance, or a call of an effect, does not return in time for a swap.
    static let notReturned = DiagnosticCode("P081")
    /// P082: a plugin no longer has an instance.
    static let notStartedAgain = DiagnosticCode("P082")
}
