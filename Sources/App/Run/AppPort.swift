import HostLoop
public import Manifest
public import Records

/// Where a running app is reached from outside: events go in, states come out. May be used from any thread.
///
/// A run that has a port goes on when nothing can happen any more by itself, as something may come through it.
public final class AppPort: Sendable {
    /// What became of an event from outside.
    public enum Reception: Hashable, Sendable {
        /// It waits for its turn in the loop's mailbox.
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
    private let run = Lock<AppRun?>(nil)

    /// A port for one run of the manifest's app.
    ///
    /// - Parameter statesCame: called when `takeStates` has something after it had nothing: on the executor of a loop,
    ///   within a step. It must not wait.
    public init(_ manifest: Manifest, statesCame: @escaping @Sendable () -> Void) {
        taps = manifest.loops.indices.map { StateTap(loop: $0, statesCame: statesCame) }
    }

    /// Whether the loops have begun; they may have ended since.
    public var hasBegun: Bool { run.withLock { $0 }?.loop(at: 0) != nil }

    /// Queues an event; never waits. Its origin is `external`.
    ///
    /// - Parameters:
    ///   - event: an index into the loop's `events`.
    ///   - payload: a record of the event's type.
    ///   - loop: an index into `Manifest.loops`.
    public func send(event: Int, payload: Record, toLoop loop: Int) throws(NotBegun) -> Reception {
        switch try running(loop).emit(AppEvent(index: event, payload: payload)) {
        case .queued: .queued
        case .full: .rejected
        case .cancelled, .stopped: .stopped
        }
    }

    /// The state that a loop is in. Waits for a reduction that is under way, for nothing else.
    ///
    /// - Parameter loop: an index into `Manifest.loops`.
    public func state(ofLoop loop: Int) throws(NotBegun) -> AppState {
        let running = try running(loop)
        taps[loop].open()
        defer { taps[loop].close() }
        return taps[loop].present { running.state }
    }

    /// Lets `takeStates` have every new state of a loop from now on, until `unfollow`. Calls are counted.
    public func follow(loop: Int) { taps[loop].open() }

    /// Lets `takeStates` have the state that a followed loop is in, too; perhaps after later ones. Waits like `state`.
    public func takeUp(loop: Int) throws(NotBegun) {
        let running = try running(loop)
        taps[loop].keepPresent { running.state }
    }

    /// Ends one `follow`.
    public func unfollow(loop: Int) { taps[loop].close() }

    /// The states of followed loops since the last call, those of each loop in order. Of a loop whose states come faster than
    /// they are taken only the newest.
    public func takeStates() -> [AppState] { taps.flatMap { $0.take() } }

    private func running(_ index: Int) throws(NotBegun) -> Loop<Record, AppEvent> {
        guard let loop = run.withLock({ $0 })?.loop(at: index) else { throw NotBegun() }
        return loop
    }

    func attach(to run: AppRun) { self.run.withLock { $0 = run } }

    func tap(ofLoop index: Int) -> StateTap { taps[index] }
}
