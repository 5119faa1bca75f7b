import HostLoop
import PluginHost
import Records

// How one run takes the place of another.
extension AppRun {
    /// What a run is made of while it hands over.
    struct Parts {
        let loops: [Loop<Record, AppEvent>]
        let assemblies: [LoopAssembly]
    }

    /// Until `keepOn`, or until another run has taken the place of this one, it does not stop; nil when it has not begun, or stops.
    func beginHandOver() -> Parts? {
        state.withLock { state in
            guard !state.loops.isEmpty, !state.stopAtStart, state.run.outcome == nil else { return nil }
            state.isHandingOver = true
            return Parts(loops: state.loops, assemblies: state.assemblies)
        }
    }

    /// No other run takes its place.
    func keepOn() {
        let stops = state.withLock { state in
            state.isHandingOver = false
            return state.stopAtStart
        }
        if stops { stopLoops() }
    }

    /// Lets go of what a run is to be made of that never begins, and which refers to it.
    func discard() {
        let parts = state.withLock { state in
            defer { (state.prepared, state.assemblies) = ([], []) }
            return (state.prepared, state.assemblies)
        }
        withExtendedLifetime(parts) {}
    }

    /// Whether another run has taken the place of this one.
    public var isFollowed: Bool { state.withLock(\.isFollowed) }

    /// Whether something has decided that the run ends.
    public var isEnding: Bool { state.withLock { $0.stopAtStart || $0.run.outcome != nil } }

    /// Takes the place of another run whose loops rest, or have stopped: its own instances are started.
    ///
    /// - Parameters:
    ///   - places: by the index of a loop, where it goes on; the others begin.
    ///   - leaving: loops of the other run that rest and do not go on.
    ///   - limit: how long it is waited for effects that are cancelled.
    func takePlace(
        of other: AppRun, _ places: [Int: LoopPlace], leaving: [Loop<Record, AppEvent>],
        within limit: Duration
    ) {
        life.takePlace(of: other.life)
        let handles = state.withLock(\.handles)
        let (before, decided) = other.state.withLock { state -> (State, AppOutcome?) in
            let before = state
            state.handles.removeAll { table in handles.contains { $0 === table } }
            (state.past, state.isFollowed, newest.object) = (Past(), true, self)
            return (before, state.run.followed())
        }
        for table in handles where !before.handles.contains(where: { $0 === table }) { table.beginRun() }
        // With a lock held, nothing is called that is not the host's.
        let prepared = state.withLock(\.prepared)
        var placed: [Int: StartedLoop] = [:]
        for index in places.keys.sorted() { placed[index] = prepared[index](places[index]) }
        let cancels = placed.sorted { $0.key < $1.key }.map(\.value.cancel)
        _ = Deadline(after: limit).run { for cancel in cancels { cancel() } }
        let kept = Set(places.values.map { ObjectIdentifier($0.loop) })
        let (loops, stops) = state.withLock { state -> ([Loop<Record, AppEvent>], Bool) in
            state.loops = prepared.enumerated().map { index, start in
                placed[index]?.loop ?? start(nil).loop
            }
            state.prepared = []
            (state.hasStarted, state.unfinished, state.before) = (true, state.loops.count, other)
            state.swaps = before.swaps
            state.past = before.past
            state.past.loops += before.loops.filter { !kept.contains(ObjectIdentifier($0)) }
            state.past.lostMessages += other.gears.lost
            state.past.faults += before.run.faults
            return (state.loops, state.stopAtStart)
        }
        other.whenEnded { [weak self] end in
            if end.abandoned.isEmpty { self?.state.withLock { $0.before = nil } }
        }
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        for index in places.keys.sorted() { loops[index].unpark() }
        if stops || loops.isEmpty { stopLoops() }
        other.state.withLock { $0.isHandingOver = false }
        other.stopLoops()
        for loop in leaving { loop.unpark() }
        if let decided { act(elsewhere: true) { $0.goOn(to: decided) } }
    }

    /// Where instances sit that effects of runs before may still use.
    var seatsInUse: [InstanceSeat] {
        guard let before = state.withLock(\.before) else { return [] }
        let running = before.state.withLock(\.loops).enumerated().flatMap { index, loop in
            loop.ended.running.map { (loop: index, feedback: $0.feedback) }
        }
        return before.life.seats(of: running) + before.seatsInUse
    }
}
