/// The runs of a feedback with one run per key, as the loop sees them.
@usableFromInline
final class KeyedRunPool<State: Sendable, Event: Sendable> {
    /// Runs that the state at hand replaces, or removes, in order.
    @usableFromInline var endings: ContiguousArray<KeyedRun<State, Event>> = []
    /// Answers the runs that it starts or updates, in order; asked once the endings are done, so that new
    /// keys may have what those that left have left.
    @usableFromInline var takeStarts: (() -> ContiguousArray<KeyedRun<State, Event>>)?
    /// The run whose effect is about to be called or copied.
    var starting: KeyedRun<State, Event>?
    /// Called when the loop closes.
    var onClose: (() -> Void)?
    /// Who knows the keys.
    @usableFromInline weak var table: AnyObject?
    /// Goes on with the keys of the same feedback in the loop before, whose place this one's takes; nil is for a loop that has stopped.
    @usableFromInline var inherit: ((KeyedRunPool?) -> Void)?
    /// What the run that an update is given is made into.
    private var relay: (@Sendable (Run<Event>) -> Run<Event>)?
    /// Every run that was made: as many as there were keys at once.
    private(set) var all: ContiguousArray<KeyedRun<State, Event>> = []
    private var free: ContiguousArray<KeyedRun<State, Event>> = []
    private var number: UInt64 = 0

    @usableFromInline
    init() {}

    /// A run for a new key.
    @usableFromInline
    func obtain() -> KeyedRun<State, Event> {
        if let run = free.popLast() { return run }
        let run = KeyedRun<State, Event>()
        all.append(run)
        return run
    }

    /// The effect that is about to be called or copied, with its request.
    @usableFromInline var startingEffect: KeyedRun<State, Event>.Effect {
        starting?.effect ?? KeyedRun.nothing
    }

    /// Puts `relay` before the run that updates are given, behind the relays that are there.
    func relayUpdates(through relay: @escaping @Sendable (Run<Event>) -> Run<Event>) {
        guard let inner = self.relay else {
            self.relay = relay
            return
        }
        self.relay = { inner(relay($0)) }
    }

    /// The update as it is to be called.
    func relayed(_ update: @escaping KeyedRun<State, Event>.Effect) -> KeyedRun<State, Event>.Effect {
        guard let relay else { return update }
        return { state, event, run in try update(state, event, relay(run)) }
    }

    /// Gives a run to later keys if its key has gone; no call of it may execute any more.
    func releaseIfGone(_ run: KeyedRun<State, Event>) {
        guard run.effect == nil, let removeKey = run.removeKey.take() else { return }
        removeKey()
        free.append(run)
    }

    /// The number of the next run, unique among those of all keys.
    func nextNumber() -> UInt64 {
        number += 1
        return number
    }

    /// Goes on counting where others are.
    func continueNumbering(after other: KeyedRunPool) { number = other.number }

    /// Forgets what users gave, which may refer to their runs, which refer to this.
    func close() {
        for run in all { (run.effect, run.update, run.removeKey) = (nil, nil, nil) }
        (endings, free, all, starting, takeStarts, inherit) = ([], [], [], nil, nil, nil)
        onClose.take()?()
    }
}

/// The run of one key as the loop sees it: a slot of its own, and what to call in it.
///
/// It stays with its slot when the key has gone, and serves a later key.
@usableFromInline
final class KeyedRun<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Effect = FeedbackMemory<State, Event>.SendableEffect

    /// The effect of a key that has gone.
    static var nothing: Effect { { _, _, _ in .finished } }

    /// The place of the slot in the loop, or -1: none yet.
    var slotIndex: Int32 = -1
    /// The effect with the key's request; nil once the key has gone.
    @usableFromInline var effect: Effect?
    /// A call to make in the run that lasts; nil: the run is to be started.
    @usableFromInline var update: Effect?
    /// Tells whoever knows the key that its run is gone with all of its calls.
    @usableFromInline var removeKey: (() -> Void)?

    @usableFromInline
    init() {}
}

/// What a slot has to do with keys.
@usableFromInline
enum KeyedRole<State: Sendable, Event: Sendable> {
    /// It stands for all runs of the feedback.
    case allKeys(KeyedRunPool<State, Event>)
    /// It is that of one run.
    case oneKey(KeyedRun<State, Event>, of: KeyedRunPool<State, Event>)
}
