import Diagnostics
import Dispatch
import HostLoop
import PluginHost

/// Has the instances of a plugin in a run hand over to those of another version, behind gates at which calls wait meanwhile.
///
/// Nothing of it changes the loops: a run whose call waits is pending like any other. Used once, on a thread that may wait.
final class HandOver: Sendable {
    enum Outcome {
        /// The loops call the new instances, as far as they have not ended.
        case done(SwapFlip.Result, pause: Duration, state: SwapReport.InstanceState)
        /// Something is wrong with the new version.
        case refused([Diagnostic])
        /// It did not come about for another reason.
        case failed([Diagnostic])
    }

    /// Where one instance sits, what sat there before, and what is to.
    struct Change: Sendable {
        let seat: InstanceSeat
        let before: InstanceSeat.Seating
        let made: InstanceSeat.Occupant

        var old: PluginInstance { before.occupant.instance }
        var new: PluginInstance { made.instance }
    }

    /// Why it did not come about.
    struct Failure: Error {
        let diagnostics: [Diagnostic]
        var isOfNewVersion = false
    }

    let run: AppRun
    let changes: [Change]
    let (old, new): (LoadedPlugin, LoadedPlugin)
    /// How long calls and functions of the instances may take together.
    let limit: Duration
    let plugin: Int
    /// The loops that call it.
    let users: [Int]
    /// Set for good when a function that does not return will bring the exchange to its end, should it return.
    let isLeft = Lock(false)
    /// Tries elsewhere whether the new version takes over what was saved.
    let trial: @Sendable ([SavedState]) -> SwapTrial.Verdict

    /// - Parameters:
    ///   - plugin: its index in the manifest.
    ///   - loops: those that call it.
    init(
        _ run: AppRun, plugin: Int, loops: [Int], from old: LoadedPlugin, to new: LoadedPlugin,
        within limit: Duration, trial: @escaping @Sendable ([SavedState]) -> SwapTrial.Verdict
    ) {
        self.trial = trial
        (self.run, self.plugin, users, self.limit) = (run, plugin, loops, limit)
        (self.old, self.new) = (old, new)
        changes = run.life.seats.filter { $0.plugin == plugin }.map { seat in
            Change(seat: seat, before: seat.seating, made: new.occupant())
        }
    }

    /// The way back from `new` to `old`, whose instances were kept; nil when they are not.
    init?(
        _ run: AppRun, plugin: Int, loops: [Int], backFrom new: LoadedPlugin, to old: LoadedPlugin,
        within limit: Duration
    ) {
        trial = { _ in .passed }
        (self.run, self.plugin, users, self.limit) = (run, plugin, loops, limit)
        (self.old, self.new) = (old, new)
        let changes = run.life.seats.filter { $0.plugin == plugin }.compactMap { seat in
            seat.kept.map { Change(seat: seat, before: $0, made: seat.seating.occupant) }
        }
        guard !changes.isEmpty else { return nil }
        self.changes = changes
    }

    var life: PluginLife { run.life }

    /// Changes all instances of the plugin, or none.
    func perform() -> Outcome {
        switch life.beginExchange() {
        case .begun: break
        case .busy:
            return .failed([
                .notSwapped("`\(life.calling ?? "a function")` of the last swap has not returned")
            ])
        case .notBegun:
            return .failed([.notSwapped("the app has not begun yet: its plugins are being started")])
        case .ended: return .failed([.notSwapped("the app has ended")])
        }
        defer { if !isLeft.withLock({ $0 }) { life.endExchange() } }
        do throws(Failure) {
            // While the old ones are called still, as it does no input or output.
            try create()
            return try exchange()
        } catch {
            return error.isOfNewVersion ? .refused(error.diagnostics) : .failed(error.diagnostics)
        }
    }

    private func exchange() throws(Failure) -> Outcome {
        let began = ContinuousClock.now
        let deadline = began.advanced(by: limit)
        for change in changes { change.seat.close() }
        do throws(Failure) { try settleCalls(until: deadline) } catch {
            for change in changes { change.seat.open() }
            discard(changes.map(\.new))
            throw error
        }
        let states = try takeStates(until: deadline)
        let tried = ContinuousClock.now
        try tryRestoring(states.compactMap(\.self))
        // What that took is not for the functions to answer for.
        try startNew(with: states, until: deadline.advanced(by: tried.duration(to: .now)))
        for change in changes { change.seat.seat(change.made) }
        let flip = SwapFlip(run, users, plugin: plugin).flip(from: old, to: new, within: limit)
        if case .held(let loop) = flip {
            discard(changes.map(\.new))
            throw Failure(diagnostics: [.held(life.loops[loop], limit)] + goBack().faults)
        }
        for change in changes { change.seat.open() }
        let pause = began.duration(to: .now)
        // Those before are kept, and nobody goes back to those before these.
        discard(changes.compactMap { $0.seat.keep($0.before)?.occupant.instance })
        return .done(flip, pause: pause, state: states.contains { $0 != nil } ? .carried : .fresh)
    }

    /// Has the instances that sat there before sit there again, started; calls are made for these then.
    ///
    /// - Returns: what is wrong with that, if anything, and whether it is over: if not, the `start` that does not return will bring
    ///   the exchange to its end.
    func goBack() -> (faults: [Diagnostic], isOver: Bool) {
        for change in changes { change.seat.seatAgain(change.before) }
        let failure = timed(limit) { [self] in
            startOld()
        } late: { [self] failure in
            reopen(failure)
            life.endExchange()
        }
        guard let failure else {
            isLeft.withLock { $0 = true }
            return ([.late(life.calling ?? "start", limit)], false)
        }
        return (reopen(failure), true)
    }

    @discardableResult
    private func reopen(_ failure: PluginError?) -> [Diagnostic] {
        if let failure {
            for change in changes where !change.old.isStarted { change.seat.vacate(failure) }
        }
        for change in changes { change.seat.open() }
        // Loops that were with the new one for a moment call what sits there now without a further look.
        for loop in users { _ = run.betweenSteps(ofLoop: loop) { [plugin, old] in $0.use(old, as: plugin) } }
        return failure.map { [Diagnostic($0)] } ?? []
    }

    private func startOld() -> PluginError? {
        for change in changes where !change.old.isStarted {
            guard !change.seat.isVacant else { continue }
            do throws(PluginError) {
                try life.calling("start", change.seat) { () throws(PluginError) in try change.old.start() }
            } catch {
                let fault = PluginError(
                    .notStartedAgain,
                    "\(error.message); it has no instance any more, and its effects fail",
                    help: ["swap it for a version that starts"], library: error.library)
                old.image.report(fault.message)
                return fault
            }
        }
        return nil
    }

    /// Stops what is started of these, and frees them.
    func discard(_ instances: [PluginInstance]) {
        _ = timed(limit) {
            for instance in instances.reversed() where instance.isStarted { instance.stop() }
            for instance in instances.reversed() where instance.isMade { instance.destroy() }
        }
    }

    /// Does something on a thread of its own; nil when it does not come to its end.
    func timed<Result: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () -> Result,
        late: @escaping @Sendable (Result) -> Void = { _ in }
    ) -> Result? {
        TimedWork.wait(limit, for: body, late: late)
    }
}
