public import HostLoop
public import Manifest
public import Records

/// Connects a running app to the outside: events go in, states come out. May be used from any thread.
///
/// A run with a port does not end when nothing can happen by itself any more, as an event may still come from
/// outside.
public final class AppPort: Sendable {
    /// The result of sending an event.
    public enum Reception: Hashable, Sendable {
        /// The event is in the loop's mailbox.
        case queued
        /// The mailbox is full: the event was dropped, and counted.
        case rejected
        /// The loop has stopped: the event was dropped.
        case stopped
    }

    /// The loops have not begun.
    public struct NotBegun: Error {
        init() {}
    }

    // By loop.
    private let taps: [StateTap]
    let watches: [LoopWatch]
    let messages: MessageWatch
    let order: ActivityOrder
    private let areJournaled: [Bool]
    private let attached = Lock<AppRun?>(nil)

    /// A port for one run of the manifest's app.
    ///
    /// - Parameters:
    ///   - countsFromStart: whether events, and the runs of feedbacks with their durations, are counted from the start
    ///     of each loop (`watchedCounts`). Each step then costs more. Otherwise they are counted while a loop is watched.
    ///   - statesCame: called when `takeStates` has states again after it had none, or `activities` has new
    ///     ones. The call comes on the executor of a loop, within a step, or on another thread. It must not block.
    public init(
        _ manifest: Manifest, countsFromStart: Bool = false, statesCame: @escaping @Sendable () -> Void
    ) {
        taps = manifest.loops.indices.map { StateTap(loop: $0, statesCame: statesCame) }
        let order = ActivityOrder(came: statesCame)
        self.order = order
        watches = manifest.loops.indices.map {
            LoopWatch($0, of: manifest, countsFromStart: countsFromStart, order)
        }
        messages = MessageWatch(manifest, order)
        areJournaled = manifest.loops.map(\.isJournaled)
    }

    /// The run that the port is made for; nil before it is made.
    var run: AppRun? { attached.withLock { $0 } }

    /// The journal of the run; nil without one.
    public var journal: AppJournal? { run?.journal }

    /// The number of events that wait in a loop; of a loop with a key, messages that no instance has got yet.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func waitingEvents(ofLoop loop: Int) throws(NotBegun) -> Int {
        try running(loop).waitingEvents
    }

    /// Whether the loops have begun; they may have ended since.
    public var hasBegun: Bool { run?.loop(at: 0) != nil }

    /// Queues an event, and never blocks. The event's origin is `external`.
    ///
    /// - Parameters:
    ///   - event: an index into the loop's `events`.
    ///   - payload: a record of the event's type.
    ///   - loop: an index into `Manifest.loops`.
    /// - Throws: `NotBegun` before the loops have begun.
    public func send(event: Int, payload: Record, toLoop loop: Int) throws(NotBegun) -> Reception {
        switch try running(loop).emit(AppEvent(index: event, payload: payload)) {
        case .queued: .queued
        case .full: .rejected
        case .cancelled, .stopped: .stopped
        }
    }

    /// The current state of a loop. Waits only for a reduction that is under way.
    ///
    /// - Parameter loop: an index into `Manifest.loops`.
    /// - Throws: `NotBegun` before the loops have begun.
    public func state(ofLoop loop: Int) throws(NotBegun) -> AppState {
        let running = try running(loop)
        taps[loop].open()
        defer { taps[loop].close() }
        return taps[loop].present { running.state }
    }

    /// The counters of a loop so far; after its end, the last ones. Never blocks for long. Those of a loop with a key
    /// are sums over all instances; what is rare in an instance, such as a dropped event, counts when it has ended.
    ///
    /// - Parameter loop: an index into `Manifest.loops`.
    /// - Throws: `NotBegun` before the loops have begun.
    public func counters(ofLoop loop: Int) throws(NotBegun) -> LoopCounters {
        let counters = try running(loop).counters
        return run?.kind(ofLoop: loop)?.counters ?? counters
    }

    /// The counters of the app so far: those that its end has (`AppEnd`).
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func counters() throws(NotBegun) -> AppCounters {
        guard let run, run.hasBegun else { throw NotBegun() }
        return run.counters
    }

    /// What the app has counted by name.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func tally() throws(NotBegun) -> AppTally {
        guard let run, run.hasBegun else { throw NotBegun() }
        return run.tally
    }

    /// From now on, `takeStates` returns new states of a loop, until `unfollow` is called as often as
    /// `follow` was.
    public func follow(loop: Int) { taps[loop].open() }

    /// Adds the current state of a followed loop without a key to `takeStates`, perhaps after later ones. Waits as `state`
    /// does.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func takeUp(loop: Int) throws(NotBegun) {
        let running = try running(loop)
        guard run?.kind(ofLoop: loop) == nil else { return }
        taps[loop].keepPresent { running.state }
    }

    /// Ends one `follow`.
    public func unfollow(loop: Int) { taps[loop].close() }

    /// Returns the states of followed loops since the last call, in order for each loop. If a loop makes
    /// states faster than they are taken, only its newest states are kept.
    public func takeStates() -> [AppState] { taps.flatMap { $0.take() } }

    func running(_ index: Int) throws(NotBegun) -> Loop<Record, AppEvent> {
        guard let loop = run?.loop(at: index) else { throw NotBegun() }
        return loop
    }

    /// The journal that has the entries of a loop.
    func journal(ofLoop index: Int) -> AppJournal? {
        areJournaled[index] ? run?.journal : nil
    }

    func attach(to run: AppRun) {
        attached.withLock { $0 = run }
        messages.begins(run.gears.tap)
    }

    func tap(ofLoop index: Int) -> StateTap { taps[index] }
}
