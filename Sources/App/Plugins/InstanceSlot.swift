import HostLoop
import Manifest
import PluginHost
import Synchronization

/// The place of one plugin instance in a run. Calls for the instance are made here, or wait at the gate while
/// another version takes its place. May be used from any thread.
///
/// While the gate is open, a call reads one number. While it is closed, calls are parked. When it opens, the
/// parked calls are made first, in the order in which they came. Each is one more call of its run. A
/// cancelled run withdraws its parked call.
final class InstanceSlot: Sendable {
    /// An instance and the plugin version that it belongs to.
    struct Content: Sendable {
        let plugin: PluginVersion
        let instance: PluginInstance
    }

    /// The instance that calls are made with, and the number that the gate has for it.
    struct Installed: Sendable {
        let content: Content
        /// Even, and different for each instance that was here.
        let version: UInt
    }

    private enum Phase { case open, closed, opening }

    private struct State {
        var installed: Installed
        var place: Place
        var phase = Phase.open
        /// Why no call can be made; nil while calls can be made.
        var unusableReason: PluginError?
        /// Waiting calls, by their order.
        var parked: [Int: ParkedCall] = [:]
        /// The order of calls that have been resumed, and are not made yet.
        var asked: Set<Int> = []
        var first = 0
        var last = 0
        var newest: UInt = 0
        var whenIdle: (@Sendable () -> Void)?
        /// The instance of the version before, stopped, with the state that it had.
        var kept: Installed?
    }

    /// Identifies an instance within its run.
    struct Place: Sendable {
        /// The plugin, as an index into `Manifest.plugins`.
        let plugin: Int
        /// The loop, as an index into `Manifest.loops`; nil for an instance that all loops share.
        let loop: Int?
        /// `PLUGIN`, or `PLUGIN of LOOP`, for messages.
        let name: String
    }

    /// Makes the calls of an instance that all loops share, one at a time; nil for an instance of one loop.
    let sharedExecutor: LoopExecutor?
    private let state: Lock<State>
    /// The `Installed.version` whose calls need not take the lock. Odd while all calls must take it.
    private let gate: Atomic<UInt>
    /// Whether `sharedExecutor` is making a call.
    private let isCalling = Atomic<Bool>(false)

    init(_ content: Content, at place: Place, sharedExecutor: LoopExecutor?) {
        self.sharedExecutor = sharedExecutor
        state = Lock(State(installed: Installed(content: content, version: 0), place: place))
        gate = Atomic(0)
    }

    var place: Place { state.withLock { $0.place } }
    var plugin: Int { place.plugin }
    var loop: Int? { place.loop }
    var name: String { place.name }

    /// Moves the instance to another run, whose manifest may have other indices.
    func move(to place: Place) { state.withLock { $0.place = place } }

    /// The instance that calls are made with now.
    var installed: Installed { state.withLock { $0.installed } }

    var instance: PluginInstance { installed.content.instance }

    /// Whether calls that were prepared for a version can be made at once.
    ///
    /// Only for the loop's executor. It is at a step end when the gate closes, and sees all changes to the
    /// instance from before the gate opened.
    @inline(__always)
    func isOpen(for version: UInt) -> Bool { gate.load(ordering: .acquiring) == version }

    /// Whether the gate is closed, so that a call that has begun on `sharedExecutor` must be withdrawn.
    var isClosing: Bool { state.withLock { $0.phase == .closed } }

    // MARK: - Calls

    /// Makes a call, perhaps after it has waited at the gate.
    typealias Body = @Sendable (EffectSource, Run<AppEvent>) throws -> EffectStatus

    /// Calls `body` with the current version, at once or when the gate opens.
    ///
    /// - Throws: what `body` throws, and a fault when there is no instance.
    func call(_ source: EffectSource, _ run: Run<AppEvent>, _ body: @escaping Body) throws -> EffectStatus {
        beginSharedCall()
        defer { endSharedCall() }
        if gate.load(ordering: .sequentiallyConsistent) == source.version { return try body(source, run) }
        let call = ParkedCall(self, run, source, body)
        switch park(call, atOnce: true) {
        case .taken:
            call.hearCancellation()
            return .pending
        case .free(let unusableReason): return try make(call, run, unusableReason)
        }
    }

    /// Parks a call that had begun before the gate closed, in front of all later calls.
    func park(back call: ParkedCall) { _ = park(call, atOnce: false) }

    private enum Reception {
        case taken
        case free(PluginError?)
    }

    private func park(_ call: ParkedCall, atOnce: Bool) -> Reception {
        let (reception, asks) = state.withLock { state -> (Reception, Bool) in
            if state.phase == .open, atOnce { return (.free(state.unusableReason), false) }
            if atOnce {
                state.last += 1
                call.order = state.last
            } else {
                state.first -= 1
                call.order = state.first
            }
            guard state.phase != .closed else {
                state.parked[call.order] = call
                return (.taken, false)
            }
            state.phase = .opening
            state.asked.insert(call.order)
            gate.store(state.installed.version | 1, ordering: .sequentiallyConsistent)
            return (.taken, true)
        }
        if asks { call.ask() }
        return reception
    }

    /// Makes a resumed call, or parks it again if the gate has closed in the meantime.
    func make(_ call: ParkedCall, _ run: Run<AppEvent>) throws -> EffectStatus {
        beginSharedCall()
        defer { endSharedCall() }
        let (goes, unusableReason) = state.withLock { state -> (Bool?, PluginError?) in
            guard state.asked.contains(call.order) else { return (nil, nil) }
            guard state.phase == .closed else { return (true, state.unusableReason) }
            state.asked.remove(call.order)
            state.parked[call.order] = call
            return (false, nil)
        }
        // The call was cancelled, and its run has ended.
        guard let goes else { return .finished }
        guard goes else { return .pending }
        defer { drop(call) }
        return try make(call, run, unusableReason)
    }

    private func make(
        _ call: ParkedCall, _ run: Run<AppEvent>, _ unusableReason: PluginError?
    ) throws -> EffectStatus {
        if let unusableReason { throw RunFault(unusableReason, at: call.source.effect.span) }
        return try call.body(EffectSource(call.source, for: self), run)
    }

    /// Forgets a call that was made, or whose run was cancelled.
    func drop(_ call: ParkedCall) {
        state.withLock { state in
            state.parked[call.order] = nil
            state.asked.remove(call.order)
            openIfFree(&state)
        }
    }

    private func openIfFree(_ state: inout State) {
        guard state.phase == .opening, state.asked.isEmpty else { return }
        state.phase = .open
        // Without an instance, each call must take the lock and find the reason.
        let version = state.unusableReason == nil ? state.installed.version : state.installed.version | 1
        gate.store(version, ordering: .sequentiallyConsistent)
    }

    // MARK: - The shared executor

    private func beginSharedCall() {
        if sharedExecutor != nil { isCalling.store(true, ordering: .sequentiallyConsistent) }
    }

    private func endSharedCall() {
        guard sharedExecutor != nil else { return }
        isCalling.store(false, ordering: .sequentiallyConsistent)
        if gate.load(ordering: .sequentiallyConsistent) & 1 == 1 { reportIdle() }
    }

    private func reportIdle() {
        let body = state.withLock { state in
            defer { state.whenIdle = nil }
            return state.whenIdle
        }
        body?()
    }

    /// Calls `body` once, as soon as `sharedExecutor` makes no call. The gate must be closed.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenIdle = body }
        if !isCalling.load(ordering: .sequentiallyConsistent) { reportIdle() }
    }

    // MARK: - The gate

    /// From now on, new calls wait. Calls that have begun continue.
    func close() {
        state.withLock { state in
            state.phase = .closed
            gate.store(state.installed.version | 1, ordering: .sequentiallyConsistent)
        }
    }

    /// Makes calls go to another instance. The gate must be closed.
    func install(_ content: Content) {
        state.withLock { state in
            state.unusableReason = nil
            state.newest += 2
            state.installed = Installed(content: content, version: state.newest)
        }
    }

    /// Makes calls go to an earlier instance again. The gate must be closed.
    func reinstall(_ installed: Installed) { state.withLock { $0.installed = installed } }

    /// The instance of the version before, if it is kept for a roll-back.
    var kept: Installed? { state.withLock { $0.kept } }

    /// Keeps an instance for a roll-back, or none, and returns the one that was kept until now.
    func keep(_ installed: Installed?) -> Installed? {
        state.withLock { state in
            defer { state.kept = installed }
            return state.kept
        }
    }

    /// Prepares calls for the same instance again, with other interfaces.
    func prepare(_ plugin: PluginVersion) {
        state.withLock { state in
            let content = Content(plugin: plugin, instance: state.installed.content.instance)
            state.installed = Installed(content: content, version: state.installed.version)
        }
    }

    /// Removes the instance: calls fail with this reason until there is another one. The gate must be closed.
    func markUnusable(_ reason: PluginError) { state.withLock { $0.unusableReason = reason } }

    /// Whether there is no instance to call.
    var isUnusable: Bool { state.withLock { $0.unusableReason != nil } }

    /// Makes the waiting calls, and lets later calls through.
    func open() {
        let calls = state.withLock { state in
            let calls = state.parked.sorted { $0.key < $1.key }.map(\.value)
            state.parked = [:]
            for call in calls { state.asked.insert(call.order) }
            state.phase = .opening
            openIfFree(&state)
            return calls
        }
        for call in calls { call.ask() }
    }
}
