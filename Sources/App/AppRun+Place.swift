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

    /// Takes the place of another run whose loops rest: its own instances are started.
    ///
    /// - Parameters:
    ///   - places: by the index of a loop, where it goes on; the others begin.
    ///   - leaving: loops of the other run that rest and do not go on.
    func takePlace(
        of other: AppRun, _ places: [Int: LoopPlace], leaving: [Loop<Record, AppEvent>]
    ) {
        life.takePlace(of: other.life)
        let handles = state.withLock(\.handles)
        let (before, decided) = other.state.withLock { state -> (State, AppOutcome?) in
            let before = state
            state.handles.removeAll { table in handles.contains { $0 === table } }
            state.past = Past()
            state.successor = self
            return (before, state.run.followed())
        }
        for table in handles where !before.handles.contains(where: { $0 === table }) { table.beginRun() }
        // Not with the lock held: effects that do not go on are cancelled, which calls their plugins.
        let loops = state.withLock(\.prepared).enumerated().map { $1(places[$0]) }
        let kept = Set(places.values.map { ObjectIdentifier($0.loop) })
        let stops = state.withLock { state in
            (state.loops, state.prepared) = (loops, [])
            (state.hasStarted, state.unfinished) = (true, loops.count)
            state.swaps = before.swaps
            state.past = before.past
            state.past.loops += before.loops.filter { !kept.contains(ObjectIdentifier($0)) }
            state.past.lostMessages += other.gears.lost
            state.past.faults += before.run.faults
            return state.stopAtStart
        }
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        for index in places.keys.sorted() { loops[index].unpark() }
        if stops || loops.isEmpty { stopLoops() }
        other.state.withLock { $0.isHandingOver = false }
        other.stopLoops()
        for loop in leaving { loop.unpark() }
        if let decided { act(elsewhere: true) { $0.goOn(to: decided) } }
    }
}
