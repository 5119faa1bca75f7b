import HostLoop
import PluginHost
import Records

// How one run takes the place of another.
extension AppRun {
    /// The loops of a run during a succession.
    struct Parts {
        let loops: [Loop<Record, AppEvent>]
        let kinds: [Int: LoopKind]
        let assemblies: [LoopAssembly]

        /// Parks a loop (`Loop.park`), with its instances if it has a key.
        func park(_ index: Int, _ parked: @escaping @Sendable (_ isParked: Bool) -> Void) -> Bool {
            guard let kind = kinds[index] else { return loops[index].park(parked) }
            kind.park { parked(true) }
            return true
        }

        func unpark(_ index: Int) {
            if let kind = kinds[index] { kind.unpark() } else { loops[index].unpark() }
        }
    }

    /// Begins a succession: the run does not stop until `cancelSuccession`, or until another run has taken its place.
    ///
    /// - Returns: nil if the run has not begun, or is stopping.
    func beginSuccession() -> Parts? {
        state.withLock { state in
            guard !state.loops.isEmpty, !state.stopAtStart, state.run.outcome == nil else { return nil }
            state.isBeingSucceeded = true
            return Parts(loops: state.loops, kinds: state.kinds, assemblies: state.assemblies)
        }
    }

    /// Ends a succession that is refused.
    func cancelSuccession() {
        let stops = state.withLock { state in
            state.isBeingSucceeded = false
            return state.stopAtStart
        }
        if stops { stopLoops() }
    }

    /// Releases the loops of a run that never begins. They refer to the run, which would leak.
    func discard() {
        let parts = state.withLock { state in
            defer { (state.prepared, state.assemblies, state.kinds) = ([], [], [:]) }
            return (state.prepared, state.assemblies, state.kinds)
        }
        withExtendedLifetime(parts) {}
    }

    /// Whether another run has taken the place of this one.
    public var isFollowed: Bool { state.withLock(\.isFollowed) }

    /// Whether something has decided that the run ends.
    public var isEnding: Bool { state.withLock { $0.stopAtStart || $0.run.outcome != nil } }

    /// Takes the place of another run. The other run's loops must rest or have stopped, and this run's own
    /// instances must be started.
    ///
    /// - Parameters:
    ///   - places: for each loop that continues, by its index, the loop before. The other loops begin.
    ///   - leave: called at the end: lets loops of the other run end that rest and do not continue, and instances.
    ///   - limit: how long to wait for functions that cancel effects.
    ///   - willBegin: called with the assemblies of this run, before any of its loops begins.
    func succeed(
        _ other: AppRun, _ places: [Int: LoopPredecessor], within limit: Duration,
        willBegin: ([LoopAssembly]) -> Void, leave: () -> Void
    ) {
        life.succeed(other.life)
        let handles = state.withLock(\.handles)
        let (before, decided) = other.state.withLock { state -> (State, AppOutcome?) in
            let before = state
            state.handles.removeAll { table in handles.contains { $0 === table } }
            (state.past, state.isFollowed, newest.object) = (Past(), true, self)
            return (before, state.run.followed())
        }
        for table in handles where !before.handles.contains(where: { $0 === table }) { table.beginRun() }
        // Cancelling effects calls functions of plugins, so no lock may be held.
        let prepared = state.withLock(\.prepared)
        var placed: [Int: StartedLoop] = [:]
        for index in places.keys.sorted() { placed[index] = prepared[index](places[index]) }
        willBegin(state.withLock(\.assemblies))
        journal?.stops(self)
        let cancels = placed.sorted { $0.key < $1.key }.map(\.value.cancel)
        _ = Deadline(after: limit).run { for cancel in cancels { cancel() } }
        let kept = Set(places.values.map { ObjectIdentifier($0.loop) })
        let (loops, stops) = state.withLock { state -> ([Loop<Record, AppEvent>], Bool) in
            state.loops = prepared.enumerated().map { index, start in
                placed[index]?.loop ?? start(nil).loop
            }
            state.prepared = []
            state.unfinished = state.loops.count + state.kinds.count
            (state.hasStarted, state.before) = (true, other)
            state.swaps = before.swaps
            state.past = before.past
            state.past.loops += before.loops.filter { !kept.contains(ObjectIdentifier($0)) }
            let continued = Set(places.values.map(\.assembly.index))
            state.past.kinds += before.kinds.filter { !continued.contains($0.key) }.values
            state.past.lostMessages += other.gears.lost
            state.past.faults += before.run.faults
            return (state.loops, state.stopAtStart)
        }
        other.whenEnded { [weak self] end in
            if end.abandoned.isEmpty { self?.state.withLock { $0.before = nil } }
        }
        let kinds = state.withLock(\.kinds)
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        for kind in kinds.values { kind.instances.ended.notify { [self] in loopEnded() } }
        for index in places.keys.sorted() {
            loops[index].unpark()
            kinds[index]?.unpark()
        }
        if stops || loops.isEmpty { stopLoops() }
        other.state.withLock { $0.isBeingSucceeded = false }
        other.stopLoops()
        leave()
        if let decided { act(elsewhere: true) { $0.end(as: decided) } }
    }

    /// The instances that effects of earlier runs may still use.
    var slotsInUse: [InstanceSlot] {
        guard let before = state.withLock(\.before) else { return [] }
        let running = before.state.withLock(\.loops.indices).flatMap { index in
            before.running(inLoop: index).map { (loop: index, feedback: $0) }
        }
        return before.life.slots(of: running) + before.slotsInUse
    }
}
