import HostLoop
import Manifest
import PluginHost
import Synchronization

/// One instance of a plugin in a run, and who it is for. Calls go to the version that sits here, or wait at its gate while that
/// changes. May be used from any thread.
///
/// While the gate is open a call costs one look at a number. While it is closed, calls are parked; when it opens, these are made
/// first, in the order in which they came, each as a further call of its run, and a run that is cancelled takes its call away.
final class InstanceSeat: Sendable {
    /// What sits here.
    struct Occupant: Sendable {
        let plugin: LoadedPlugin
        let instance: PluginInstance
    }

    /// What a call is made with.
    struct Seating: Sendable {
        let occupant: Occupant
        /// Tells one occupation from another.
        let version: UInt
    }

    private enum Phase { case open, closed, opening }

    private struct State {
        var seating: Seating
        var place: Place
        var phase = Phase.open
        /// Why no call can be made; nil: one can.
        var vacancy: PluginError?
        /// Calls that wait, by their order.
        var parked: [Int: ParkedCall] = [:]
        /// Calls whose turn has come, and that are not made yet.
        var asked: Set<Int> = []
        var first = 0
        var last = 0
        var newest: UInt = 0
        var whenIdle: (@Sendable () -> Void)?
        /// What sat here before, stopped, with the state that it had.
        var kept: Seating?
    }

    /// Which instance of a run it is.
    struct Place: Sendable {
        /// The plugin, as an index into `Manifest.plugins`.
        let plugin: Int
        /// The loop, as an index into `Manifest.loops`; nil for the one that all share.
        let loop: Int?
        /// `PLUGIN`, or `PLUGIN of LOOP`, for messages.
        let name: String
    }

    /// Where it is called when all share it.
    let lane: LoopExecutor?
    private let state: Lock<State>
    /// The version that is called without further questions: odd while none is.
    private let gate: Atomic<UInt>
    /// Whether the lane is in a call.
    private let isCalling = Atomic<Bool>(false)

    init(_ occupant: Occupant, at place: Place, lane: LoopExecutor?) {
        self.lane = lane
        state = Lock(State(seating: Seating(occupant: occupant, version: 0), place: place))
        gate = Atomic(0)
    }

    /// Which instance of its run it is.
    var place: Place { state.withLock { $0.place } }
    var plugin: Int { place.plugin }
    var loop: Int? { place.loop }
    var name: String { place.name }

    /// It belongs to another run, whose manifest may have other places.
    func move(to place: Place) { state.withLock { $0.place = place } }

    /// What sits here now.
    var seating: Seating { state.withLock { $0.seating } }

    /// The instance that sits here now.
    var instance: PluginInstance { seating.occupant.instance }

    /// Whether calls that were prepared for a version are made. For the loop's executor, which is at a step boundary when the gate
    /// closes, and sees all that was done to the instance before it opened.
    @inline(__always)
    func isOpen(for version: UInt) -> Bool { gate.load(ordering: .acquiring) == version }

    /// Whether a call that has begun on the lane should not go on.
    var isClosing: Bool { state.withLock { $0.phase == .closed } }

    // MARK: - Calls

    /// What a call is made with, which may wait for that.
    typealias Body = @Sendable (EffectSource, Run<AppEvent>) throws -> EffectStatus

    /// Calls `body` with what is called now, at once or when the gate opens.
    ///
    /// - Throws: what `body` throws, and a fault when no version sits here.
    func call(_ source: EffectSource, _ run: Run<AppEvent>, _ body: @escaping Body) throws -> EffectStatus {
        enterLane()
        defer { leaveLane() }
        if gate.load(ordering: .sequentiallyConsistent) == source.version { return try body(source, run) }
        let call = ParkedCall(self, run, source, body)
        switch park(call, atOnce: true) {
        case .taken:
            call.hearCancellation()
            return .pending
        case .free(let vacancy): return try make(call, run, vacancy)
        }
    }

    /// Parks a call that had begun before the gate closed, before all that came later.
    func park(back call: ParkedCall) { _ = park(call, atOnce: false) }

    private enum Reception {
        case taken
        case free(PluginError?)
    }

    private func park(_ call: ParkedCall, atOnce: Bool) -> Reception {
        let (reception, asks) = state.withLock { state -> (Reception, Bool) in
            if state.phase == .open, atOnce { return (.free(state.vacancy), false) }
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
            gate.store(state.seating.version | 1, ordering: .sequentiallyConsistent)
            return (.taken, true)
        }
        if asks { call.ask() }
        return reception
    }

    /// Makes a call whose turn has come, or parks it again when the gate has closed meanwhile.
    func make(_ call: ParkedCall, _ run: Run<AppEvent>) throws -> EffectStatus {
        enterLane()
        defer { leaveLane() }
        let (goes, vacancy) = state.withLock { state -> (Bool?, PluginError?) in
            guard state.asked.contains(call.order) else { return (nil, nil) }
            guard state.phase == .closed else { return (true, state.vacancy) }
            state.asked.remove(call.order)
            state.parked[call.order] = call
            return (false, nil)
        }
        // Cancelled, by which its run has ended.
        guard let goes else { return .finished }
        guard goes else { return .pending }
        defer { drop(call) }
        return try make(call, run, vacancy)
    }

    private func make(
        _ call: ParkedCall, _ run: Run<AppEvent>, _ vacancy: PluginError?
    ) throws -> EffectStatus {
        if let vacancy { throw RunFault(vacancy, at: call.source.effect.span) }
        return try call.body(EffectSource(call.source, for: self), run)
    }

    /// A call that does not wait any more: it was made, or its run was cancelled.
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
        // A seat without an instance is asked each time.
        let version = state.vacancy == nil ? state.seating.version : state.seating.version | 1
        gate.store(version, ordering: .sequentiallyConsistent)
    }

    // MARK: - The lane

    private func enterLane() {
        if lane != nil { isCalling.store(true, ordering: .sequentiallyConsistent) }
    }

    private func leaveLane() {
        guard lane != nil else { return }
        isCalling.store(false, ordering: .sequentiallyConsistent)
        if gate.load(ordering: .sequentiallyConsistent) & 1 == 1 { tellIdle() }
    }

    private func tellIdle() {
        let told = state.withLock { state in
            defer { state.whenIdle = nil }
            return state.whenIdle
        }
        told?()
    }

    /// Calls `body` once as soon as the lane is in no call; the gate is closed.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenIdle = body }
        if !isCalling.load(ordering: .sequentiallyConsistent) { tellIdle() }
    }

    // MARK: - The gate

    /// From now on calls wait; those that have begun are elsewhere.
    func close() {
        state.withLock { state in
            state.phase = .closed
            gate.store(state.seating.version | 1, ordering: .sequentiallyConsistent)
        }
    }

    /// Has another instance sit here; the gate is closed.
    func seat(_ occupant: Occupant) {
        state.withLock { state in
            state.vacancy = nil
            state.newest += 2
            state.seating = Seating(occupant: occupant, version: state.newest)
        }
    }

    /// Has an instance sit here that sat here before; the gate is closed.
    func seatAgain(_ seating: Seating) { state.withLock { $0.seating = seating } }

    /// What sat here before, if it is kept.
    var kept: Seating? { state.withLock { $0.kept } }

    /// Keeps what sat here before, or nothing; what was kept before that.
    func keep(_ seating: Seating?) -> Seating? {
        state.withLock { state in
            defer { state.kept = seating }
            return state.kept
        }
    }

    /// What sits here is prepared anew; it stays what it is.
    func prepare(_ plugin: LoadedPlugin) {
        state.withLock { state in
            let occupant = Occupant(plugin: plugin, instance: state.seating.occupant.instance)
            state.seating = Seating(occupant: occupant, version: state.seating.version)
        }
    }

    /// Nobody sits here any more: calls fail with this until another instance does. The gate is closed.
    func vacate(_ reason: PluginError) { state.withLock { $0.vacancy = reason } }

    /// Whether an instance sits here that calls may be made for.
    var isVacant: Bool { state.withLock { $0.vacancy != nil } }

    /// Lets the calls that wait be made, and those after them.
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
