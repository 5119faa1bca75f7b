import Diagnostics
import HostLoop
import Manifest
import PluginHost

/// The plugin instances of a run, in order. They are made and started before the loops, and stopped and freed
/// after them.
///
/// The host calls their functions one after the other on a separate thread, as any of them may block, or
/// never return. May be used from any thread.
final class PluginLife: Sendable {
    private struct State {
        /// The functions that are being called, for messages: `stop of sensor`. Keys count up, so that the
        /// smallest one is the call that has lasted longest.
        var calls: [Int: String] = [:]
        var lastCall = 0
        var isWithdrawn = false
        var hasBegun = false
        /// The instances that are made and started, in order.
        var started: [InstanceSlot] = []
        /// A swap or a roll-back is exchanging instances. The end of the run waits for it.
        var isExchanging = false
        var afterExchange: (@Sendable () -> Void)?
    }

    /// All instances, in order.
    let slots: [InstanceSlot]
    private let instances: InstanceSet
    /// The instances to be made and started: all except those that come from the run before.
    private let fresh: [InstanceSlot]
    /// All libraries that are loaded now. The end waits for their work on threads of the host.
    private let images: @Sendable () -> [(name: String, image: PluginImage)]
    private let plugins: [PluginModel]
    /// The names of the loops.
    let loops: [String]
    /// The instance that each feedback's effect is called for, by loop and feedback.
    private let users: [Int: [String: InstanceSlot]]
    private let state = Lock(State())

    init(
        _ instances: InstanceSet, images: @escaping @Sendable () -> [(name: String, image: PluginImage)],
        of manifest: Manifest
    ) {
        (slots, self.images, loops) = (instances.slots, images, manifest.loops.map(\.name))
        self.instances = instances
        let continuing = instances.continuing
        fresh = instances.slots.filter { slot in !continuing.contains { $0 === slot } }
        users = Dictionary(
            uniqueKeysWithValues: manifest.loops.enumerated().map { index, loop in
                let own = loop.feedbacks.compactMap { feedback in
                    feedback.effect.flatMap { instances.slot(for: $0, loop: index) }.map {
                        (feedback.name, $0)
                    }
                }
                return (index, Dictionary(uniqueKeysWithValues: own))
            })
        plugins = manifest.plugins
    }

    var isEmpty: Bool { slots.isEmpty }

    /// Whether the run has instances of a plugin, given by its index. A plugin has none if only its reducer
    /// is called.
    func hasInstances(of plugin: Int) -> Bool { slots.contains { $0.plugin == plugin } }

    /// Whether no instance must be stopped, and no plugin works on a thread of the host.
    var hasEnded: Bool {
        state.withLock { $0.started.isEmpty && !$0.isExchanging }
            && images().allSatisfy { $0.image.workCount == 0 }
    }

    /// Functions of instances that have not returned, and plugins that work on threads of the host, for
    /// messages.
    var running: [String] {
        state.withLock { state in state.calls.sorted { $0.key < $1.key }.map(\.value) }
            + images().filter { $0.image.workCount > 0 }.map { "work of \($0.name)" }
    }

    /// Makes all instances, then starts all. After a failure or a call of `withdraw`, it stops and frees the
    /// instances again, in reverse order.
    ///
    /// - Parameters:
    ///   - kept: the states of the instances of an earlier process, by the names of the instances. An instance that
    ///     does not take its state over begins without it, which the log says.
    ///   - undoing: called before an instance is stopped or freed, on another thread, with the failure; nil
    ///     after `withdraw`.
    ///   - done: called at the end, on another thread; true if all instances are started.
    func begin(
        restoring kept: [String: SavedState] = [:],
        undoing: @escaping @Sendable (_ failure: Diagnostic?) -> Void,
        _ done: @escaping @Sendable (_ areStarted: Bool) -> Void
    ) {
        onThread { [self] in
            let group = group(fresh)
            var failure: Diagnostic?
            do throws(InstanceGroup.Fault) {
                try group.create { !isWithdrawn }
                try group.restoreOrRenew(kept)
                try group.start { !isWithdrawn }
            } catch { failure = diagnostic(error) }
            let hasBegun = state.withLock { state in
                guard failure == nil, !state.isWithdrawn else { return false }
                (state.started, state.hasBegun) = (fresh, true)
                return true
            }
            guard !hasBegun else { return done(true) }
            undoing(failure)
            end(group) { done(false) }
        }
    }

    /// Stops and frees the instances that `begin` has started, as the run does not begin.
    func undo() {
        let started = state.withLock { state in
            defer { state.started = [] }
            return state.started
        }
        onThread { [self] in end(group(started)) {} }
    }

    private func group(_ slots: [InstanceSlot]) -> InstanceGroup {
        InstanceGroup(members: slots.map { .init(slot: $0, instance: $0.instance) }, life: self)
    }

    /// Stops a group, and frees it when its plugins have no work on threads of the host any more.
    private func end(_ group: InstanceGroup, _ done: @escaping @Sendable () -> Void) {
        group.stop()
        whenIdle(Self.busy(group.members.map(\.instance.image))[...]) {
            group.destroy()
            done()
        }
    }

    /// The libraries that work on threads of the host. A caller that waits for these must not keep the others
    /// alive.
    private static func busy(_ images: [PluginImage]) -> [PluginImage] { images.filter { $0.workCount > 0 } }

    /// Has `begin` make and start no more instances, and undo its work.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }

    /// Takes over the instances of the run before. This run's own instances must be started, and no loop may
    /// be in a step.
    func succeed(_ other: PluginLife) {
        let continuing = instances.continuing
        other.state.withLock { state in
            state.started.removeAll { slot in continuing.contains { $0 === slot } }
        }
        instances.adopt()
        state.withLock { ($0.started, $0.hasBegun) = (slots, true) }
    }

    /// Changed settings for the instances of the run before that continue here.
    var changedSettings: [InstanceSet.ChangedSettings] { instances.changedSettings }

    /// The instances that the feedbacks' effects are called for.
    func slots(of feedbacks: [(loop: Int, feedback: String)]) -> [InstanceSlot] {
        feedbacks.compactMap { loop, name in users[loop]?[name] }
    }

    /// Stops the instances, waits for the plugins' work on threads of the host, and frees the instances in
    /// reverse order.
    ///
    /// - Parameters:
    ///   - busy: feedbacks whose effects still run, by loop and name. Their instances are neither stopped nor
    ///     freed.
    ///   - alsoUsed: instances that effects of the run before may still use, treated in the same way.
    ///   - keep: gets the state of each stopped instance that saves one, on another thread; nil: no state is saved.
    ///   - done: called at the end, on another thread.
    func end(
        leaving busy: [(loop: Int, feedback: String)], _ alsoUsed: [InstanceSlot] = [],
        keeping keep: (@Sendable (InstanceSlot, SavedState) -> Void)? = nil,
        _ done: @escaping @Sendable () -> Void
    ) {
        let used = slots(of: busy) + alsoUsed
        let body = { @Sendable [self] in
            let slots = state.withLock { state in
                defer { state.started = [] }
                return state.started.filter { slot in !used.contains { $0 === slot } }
            }
            let group = group(slots)
            group.stop()
            whenIdle(Self.busy(images().map(\.image))[...]) { [self] in
                for slot in slots.reversed() {
                    if let keep, let state = lastState(of: slot) { keep(slot, state) }
                    self.group([slot]).destroy()
                    guard let kept = slot.keep(nil)?.content.instance else { continue }
                    InstanceGroup(members: [.init(slot: slot, instance: kept)], life: self).destroy()
                }
                done()
            }
        }
        let waits = state.withLock { state in
            if state.isExchanging { state.afterExchange = { [self] in onThread(body) } }
            return state.isExchanging
        }
        if !waits { onThread(body) }
    }

    // MARK: - Exchange of instances

    /// Begins to exchange instances, or their settings. Until `endExchange`, the end of the run waits.
    ///
    /// - Throws: a refusal when a function of an earlier exchange has not returned yet. Also when no instance is
    ///   started yet, and when the instances are stopped or about to be.
    func beginExchange() throws(AppRefusal) {
        let calling = calling
        let refusal = state.withLock { state -> Diagnostic? in
            if state.isExchanging { return .busy(calling) }
            guard state.hasBegun else {
                return Diagnostic(
                    .notRunning, "the app has not begun yet: its plugins are being started")
            }
            guard !state.started.isEmpty, !state.isWithdrawn else { return .ended }
            state.isExchanging = true
            return nil
        }
        if let refusal { throw AppRefusal(refusal, isTemporary: true) }
    }

    /// Ends the exchange. An end of the run that has waited for it stops and frees the current instances now.
    func endExchange() {
        let end = state.withLock { state in
            state.isExchanging = false
            defer { state.afterExchange = nil }
            return state.afterExchange
        }
        end?()
    }

    /// Whether an exchange is under way, perhaps in a function that does not return.
    var isExchanging: Bool { state.withLock { $0.isExchanging } }

    /// The call that has lasted longest, for messages; nil if no function is being called.
    var calling: String? { state.withLock { state in state.calls.min { $0.key < $1.key }?.value } }

    /// Waits until no plugin uses tables of an instance's plugin, at most until the deadline of the app's end.
    ///
    /// - Returns: false after the deadline: the instance must not be stopped, which the log says.
    func closeTables(of slot: InstanceSlot, _ image: PluginImage) -> Bool {
        let close = { image.closeTables(by: Deadline(after: AppRun.deadline)) }
        let uses = image.tableUses
        let left = uses.isEmpty ? close() : noting(uses.joined(separator: ", "), close)
        guard !left.isEmpty else { return true }
        image.report("`stop` of \(slot.name) is not called: \(left.joined(separator: ", "))")
        return false
    }

    /// Calls a function of an instance. `calling` and `running` name it while it lasts.
    func calling<Result, Failure: Error>(
        _ function: String, _ slot: InstanceSlot, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try noting("\(function) of \(slot.name)", body)
    }

    private func noting<Result, Failure: Error>(
        _ text: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let call = state.withLock { state in
            state.lastCall += 1
            state.calls[state.lastCall] = text
            return state.lastCall
        }
        defer { state.withLock { $0.calls[call] = nil } }
        return try body()
    }

    /// The state that a stopped instance saves; nil if it saves none, or its plugin has crashed.
    ///
    /// - Throws: the failure of its `save`.
    func save(_ instance: PluginInstance, of slot: InstanceSlot) throws(PluginError) -> SavedState? {
        guard instance.savesState, !slot.isUnusable, !instance.image.isQuarantined else { return nil }
        do throws(PluginError) {
            return try calling("save", slot) { () throws(PluginError) in try instance.save() }
        } catch {
            guard instance.image.isQuarantined else { throw error }
            return nil
        }
    }

    /// The state of an instance at the end of the run; nil if it has none to save. The log says why `save` failed.
    private func lastState(of slot: InstanceSlot) -> SavedState? {
        let instance = slot.instance
        guard instance.isMade, !instance.isStarted else { return nil }
        do throws(PluginError) { return try save(instance, of: slot) } catch {
            instance.image.report(error.message)
            return nil
        }
    }

    private var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    private func diagnostic(_ fault: InstanceGroup.Fault) -> Diagnostic {
        let (error, slot) = (fault.error, fault.slot)
        let plugin = plugins[slot.plugin]
        let notes = [
            plugin.note(onFailure: error.message), slot.loop.map { "in the instance of loop `\(loops[$0])`" },
        ]
        return Diagnostic(
            .error, error.code, error.message, at: plugin.librarySpan, notes: notes.compactMap(\.self),
            help: error.help)
    }

    /// Calls `body` when no plugin works on a thread of the host any more.
    ///
    /// It waits for one plugin after the other. An idle plugin stays idle: only abandoned effects still run,
    /// and their instances are not freed.
    func whenIdle(_ images: ArraySlice<PluginImage>, _ body: @escaping @Sendable () -> Void) {
        // After many swaps there are thousands of images, so idle ones must not nest calls.
        guard let busy = images.firstIndex(where: { $0.workCount > 0 }) else { return body() }
        images[busy].whenIdle { [self] in whenIdle(images[(busy + 1)...], body) }
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        // The system has no thread left: the caller's thread does it.
        if !HostThread.start(body) { body() }
    }
}
