import Diagnostics
import Dispatch
import HostLoop
import PluginHost

/// Has a plugin's instances in a run hand over to the instances of another version, while calls wait at their
/// gates.
///
/// It does not change the loops: a run whose call waits is pending like any other. Use it once, on a thread
/// that may block.
final class HandOver: Sendable {
    /// The gate of one instance, the old instance, and the new one.
    struct Exchange: Sendable {
        let slot: InstanceSlot
        let before: InstanceSlot.Installed
        let made: InstanceSlot.Content
    }

    let run: AppRun
    let exchanges: [Exchange]
    let old: InstanceGroup
    let new: InstanceGroup
    let oldVersion: PluginVersion
    private let plugin: Int
    private let users: [Int]
    /// How long calls, and functions of the instances, may take together.
    let limit: Duration
    /// Set when a function does not return in time: its thread ends the exchange if it returns later. Never
    /// reset.
    private let isLeft = Lock(false)
    /// Set when a function of the new instances does not return in time: its thread frees them if it returns
    /// later. Never reset.
    private let isNewLeft = Lock(false)

    /// - Parameters:
    ///   - plugin: its index in the manifest.
    ///   - users: the loops that call it.
    convenience init(
        _ run: AppRun, plugin: Int, users: [Int], from old: PluginVersion, to new: PluginVersion,
        within limit: Duration
    ) {
        let exchanges = run.life.slots.filter { $0.plugin == plugin }.map { slot in
            Exchange(slot: slot, before: slot.installed, made: new.makeContent())
        }
        self.init(run, exchanges, plugin: plugin, users: users, from: old, within: limit)
    }

    /// The roll-back to `old`, whose instances were kept.
    convenience init(
        _ run: AppRun, plugin: Int, users: [Int], backTo old: PluginVersion, within limit: Duration
    ) {
        let exchanges = run.life.slots.filter { $0.plugin == plugin }.compactMap { slot in
            slot.kept.map { Exchange(slot: slot, before: $0, made: slot.installed.content) }
        }
        self.init(run, exchanges, plugin: plugin, users: users, from: old, within: limit)
    }

    private init(
        _ run: AppRun, _ exchanges: [Exchange], plugin: Int, users: [Int], from old: PluginVersion,
        within limit: Duration
    ) {
        (self.run, self.exchanges, self.plugin, self.users) = (run, exchanges, plugin, users)
        (oldVersion, self.limit) = (old, limit)
        self.old = InstanceGroup(
            members: exchanges.map { .init(slot: $0.slot, instance: $0.before.content.instance) },
            life: run.life)
        new = InstanceGroup(
            members: exchanges.map { .init(slot: $0.slot, instance: $0.made.instance) }, life: run.life)
    }

    private var life: PluginLife { run.life }

    /// Performs `body` while no other exchange is under way and the end of the run waits. If the run has no
    /// instances of the plugin, it only performs `body`.
    ///
    /// - Throws: the error of `body`, and a refusal when no exchange can begin.
    func perform<Result>(_ body: () throws(AppRefusal) -> Result) throws(AppRefusal) -> Result {
        guard !exchanges.isEmpty else { return try body() }
        try life.beginExchange()
        defer { if !isLeft.withLock({ $0 }) { life.endExchange() } }
        return try body()
    }

    // MARK: - Steps

    /// Makes the new instances while calls for the old ones continue, as `create` must do no input or output.
    var prepare: Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            try attempt("create", Deadline(after: limit)) { () throws(InstanceGroup.Fault) in
                try self.new.create()
            }
        } undo: { [self] in
            discardNew()
            return []
        }
    }

    /// Closes the gates, and waits until no call for the old instances runs. Calls that have begun are
    /// withdrawn, and made again later.
    func pause(_ deadline: @escaping () -> Deadline) -> Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            for exchange in exchanges { exchange.slot.close() }
            do throws(AppRefusal) { try settleCalls(by: deadline()) } catch {
                open()
                throw error
            }
        } undo: { [self] in
            // Otherwise the thread of the late function opens them when it returns.
            if !isLeft.withLock({ $0 }) { open() }
            return []
        }
    }

    /// Stops the old instances, and has them save their states.
    ///
    /// - Parameter take: called with a state for each exchange; nil for an instance that saves none.
    func carry(
        _ deadline: @escaping () -> Deadline, take: @escaping ([SavedState?]) -> Void
    ) -> Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            take(try takeStates(by: deadline()))
        } undo: { [self] in
            discardNew()
            return startOldAgain().faults
        }
    }

    /// Restores the states in the new instances, and starts them.
    func start(
        _ deadline: @escaping () -> Deadline, restoring states: @escaping () -> [SavedState?]
    ) -> Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            let states = states()
            try attempt("start", deadline()) { () throws(InstanceGroup.Fault) in
                try self.new.start(restoring: states)
            }
        }
    }

    /// Makes calls go to the new instances.
    var installNew: Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            for exchange in exchanges { exchange.slot.install(exchange.made) }
        }
    }

    /// Opens the gates: calls go to the current instances.
    func open() { for exchange in exchanges { exchange.slot.open() } }

    /// Keeps the old instances, which were stopped, for a roll-back. Frees the instances that were kept until
    /// now.
    func keepOld() {
        discard(
            exchanges.compactMap { exchange in exchange.slot.keep(exchange.before).map { (exchange.slot, $0) }
            })
    }

    /// Frees the old instances, which were kept.
    func discardKept() {
        takeKept()
        discard(old)
    }

    /// Takes what was kept from the end of the run, which would free it.
    func takeKept() { for exchange in exchanges { _ = exchange.slot.keep(nil) } }

    private func discard(_ kept: [(slot: InstanceSlot, installed: InstanceSlot.Installed)]) {
        discard(
            InstanceGroup(
                members: kept.map { .init(slot: $0.slot, instance: $0.installed.content.instance) },
                life: life
            ))
    }

    // MARK: - What steps are made of

    private func attempt(
        _ function: String, _ deadline: Deadline,
        _ body: @escaping @Sendable () throws(InstanceGroup.Fault) -> Void
    ) throws(AppRefusal) {
        guard !exchanges.isEmpty else { return }
        let failure = deadline.run(late: { [new] in if $0 == nil { new.undo() } }) {
            [new] () -> PluginError? in
            do throws(InstanceGroup.Fault) {
                try body()
                return nil
            } catch {
                new.undo()
                return error.error
            }
        }
        guard let failure else {
            isNewLeft.exchange(true)
            throw AppRefusal(.late(life.calling ?? function, limit))
        }
        if let failure { throw AppRefusal(Diagnostic(failure)) }
    }

    private func discardNew() { if !isNewLeft.withLock({ $0 }) { discard(new) } }

    /// Stops and frees instances. Returns at the deadline when one of their functions does not return.
    func discard(_ group: InstanceGroup) {
        guard group.members.contains(where: \.instance.isMade) else { return }
        _ = Deadline(after: limit).run { group.undo() }
    }

    private func settleCalls(by deadline: Deadline) throws(AppRefusal) {
        guard !exchanges.isEmpty else { return }
        let slots = exchanges.map(\.slot)
        // A call that blocks its queue may wait for its cancellation. A loop blocks in no call at its step
        // end.
        try withdrawCalls(for: slots.filter { $0.sharedExecutor != nil }, by: deadline)
        if let loop = run.waitForStepEnd(of: users, by: deadline) {
            throw AppRefusal(.held(life.loops[loop], limit), isTemporary: true)
        }
        let busy = deadline.waitForAll(slots.filter { $0.sharedExecutor != nil }) { slot, idle in
            slot.whenIdle(idle)
        }
        if let slot = busy.first {
            throw AppRefusal(.late("a call of \(slot.name)", limit), isTemporary: true)
        }
        try withdrawCalls(for: slots, by: deadline)
    }

    /// Withdraws calls that have begun, and calls the functions that they gave to `spin_on_cancel`.
    private func withdrawCalls(for slots: [InstanceSlot], by deadline: Deadline) throws(AppRefusal) {
        let calls = slots.flatMap { slot in
            // The newest first, as each withdrawn call is parked in front of all waiting ones.
            slot.instance.image.sinks.compactMap { $0 as? LastingRun }.sorted { $0.number > $1.number }
                .map { (slot: slot, run: $0) }
        }
        guard !calls.isEmpty else { return }
        let isDone = deadline.run(late: { [life] _ in life.endExchange() }) { [life] in
            for (slot, run) in calls { life.calling("cancellation", slot) { _ = run.withdraw(to: slot) } }
            return true
        }
        guard isDone == nil else { return }
        isLeft.exchange(true)
        throw AppRefusal(.late(life.calling ?? "cancellation", limit), isTemporary: true)
    }

    private func takeStates(by deadline: Deadline) throws(AppRefusal) -> [SavedState?] {
        guard !exchanges.isEmpty else { return [] }
        let taken = deadline.run(
            late: { [self] (_: Result<[SavedState?], AppRefusal>) in
                // Not earlier: only one function of an instance may be called at a time.
                if startOldAgain().isOver { life.endExchange() }
            }
        ) { [self] in
            old.stop()
            // Work of effects without an instance may last as long as the app. No function of an instance
            // runs now, so a part of the time is left to start the old instances again.
            let isIdle = deadline.part(0.8).wait { idle in oldVersion.image.whenIdle { idle(true) } }
            guard isIdle != nil else { return .failure(AppRefusal(workIsLate, isTemporary: true)) }
            do throws(PluginError) {
                var states: [SavedState?] = []
                for exchange in exchanges {
                    states.append(try life.save(exchange.before.content.instance, of: exchange.slot))
                }
                return .success(states)
            } catch { return .failure(AppRefusal(Diagnostic(error), isTemporary: true)) }
        }
        switch taken {
        case .success(let states): return states
        case .failure(let error):
            discardNew()
            throw AppRefusal(error.diagnostics + startOldAgain().faults, isTemporary: true)
        case nil:
            isLeft.exchange(true)
            let fault = life.calling.map { Diagnostic.late($0, limit) } ?? workIsLate
            discardNew()
            throw AppRefusal(fault, isTemporary: true)
        }
    }

    private var workIsLate: Diagnostic { .late("work of \(exchanges.first?.slot.name ?? "")", limit) }

    /// Starts the old instances again, and makes calls go to them.
    ///
    /// - Returns: the errors, and whether it is over. If it is not, a `start` has not returned, and its
    ///   thread ends the exchange if it returns later.
    func startOldAgain() -> (faults: [Diagnostic], isOver: Bool) {
        guard !exchanges.isEmpty else { return ([], true) }
        for exchange in exchanges { exchange.slot.reinstall(exchange.before) }
        let failure = Deadline(after: limit).run(
            late: { [self] failure in
                reopen(failure)
                life.endExchange()
            }
        ) { [self] () -> PluginError? in
            let present = InstanceGroup(members: old.members.filter { !$0.slot.isUnusable }, life: life)
            do throws(InstanceGroup.Fault) { try present.start() } catch {
                return PluginError(
                    .notStartedAgain,
                    "\(error.error.message); it has no instance any more, and its effects fail",
                    help: ["swap it for a version that starts"], library: error.error.library)
            }
            return nil
        }
        guard let failure else {
            isLeft.exchange(true)
            return ([.late(life.calling ?? "start", limit)], false)
        }
        return (reopen(failure), true)
    }

    @discardableResult
    private func reopen(_ failure: PluginError?) -> [Diagnostic] {
        if let failure {
            oldVersion.image.report(failure.message)
            for exchange in exchanges where !exchange.before.content.instance.isStarted {
                exchange.slot.markUnusable(failure)
            }
        }
        open()
        // Some loops may have called the new version for a moment: now they make calls without the lock
        // again.
        run.use(oldVersion, as: plugin, in: users)
        return failure.map { [Diagnostic($0)] } ?? []
    }
}
