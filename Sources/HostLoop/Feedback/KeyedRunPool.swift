/// The runs of a feedback with one run per key, from the loop's side. Runs whose key has gone serve later
/// keys.
@usableFromInline
final class KeyedRunPool<State: Sendable, Event: Sendable> {
    /// The runs that the current state replaces or removes, in order.
    @usableFromInline var endings: ContiguousArray<KeyedRun<State, Event>> = []
    /// Returns the runs to start or to update, in order. The loop calls it after the endings, so that new
    /// keys can reuse the runs of keys that have gone.
    @usableFromInline var takeStarts: (() -> ContiguousArray<KeyedRun<State, Event>>)?
    /// The run whose effect is about to be called or copied.
    var starting: KeyedRun<State, Event>?
    /// Called when the loop closes.
    var onClose: (() -> Void)?
    /// The `KeyedRequests`, which know the type of the keys.
    @usableFromInline weak var table: AnyObject?
    /// Continues the keys of the same feedback in the previous loop; nil stands for a loop that has stopped.
    @usableFromInline var inherit: ((KeyedRunPool?) -> Void)?
    /// Makes the run that an update gets.
    private var relay: (@Sendable (Run<Event>) -> Run<Event>)?
    /// All runs that were made: as many as there were keys at once.
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

    /// Puts `relay` in front of the run that updates get, behind the relays that exist.
    func relayUpdates(through relay: @escaping @Sendable (Run<Event>) -> Run<Event>) {
        guard let inner = self.relay else {
            self.relay = relay
            return
        }
        self.relay = { inner(relay($0)) }
    }

    /// The update with its relays.
    func relayed(_ update: @escaping KeyedRun<State, Event>.Effect) -> KeyedRun<State, Event>.Effect {
        guard let relay else { return update }
        return { state, event, run in try update(state, event, relay(run)) }
    }

    /// Makes a run available to later keys if its key has gone. No call of the run may execute any more.
    func releaseIfGone(_ run: KeyedRun<State, Event>) {
        guard run.effect == nil, let removeKey = run.removeKey.take() else { return }
        removeKey()
        free.append(run)
    }

    /// Returns the number of the next run, unique among the runs of all keys.
    func nextNumber() -> UInt64 {
        number += 1
        return number
    }

    /// Continues the numbering of other runs.
    func continueNumbering(after other: KeyedRunPool) { number = other.number }

    /// Continues the numbering after a run.
    func continueNumbering(after number: UInt64) { self.number = number }

    /// Releases values that users gave: they may refer to their runs, which refer to this object.
    func close() {
        for run in all { (run.effect, run.update, run.removeKey) = (nil, nil, nil) }
        (endings, free, all, starting, takeStarts, inherit) = ([], [], [], nil, nil, nil)
        onClose.take()?()
    }
}

/// The run of one key, from the loop's side: it has its own slot, and the functions to call there.
///
/// It keeps its slot when the key has gone, and serves a later key.
@usableFromInline
final class KeyedRun<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Effect = FeedbackMemory<State, Event>.SendableEffect

    /// The effect of a key that has gone.
    static var nothing: Effect { { _, _, _ in .finished } }

    /// The index of the slot in the loop; -1 without a slot.
    var slotIndex: Int32 = -1
    /// The effect with the key's request; nil once the key has gone.
    @usableFromInline var effect: Effect?
    /// A call to make in the current run; nil if the run must be started.
    @usableFromInline var update: Effect?
    /// Called when the run and all of its calls have ended: it removes the key.
    @usableFromInline var removeKey: (() -> Void)?

    @usableFromInline
    init() {}
}

/// The role of a slot in a feedback with keys.
@usableFromInline
enum KeyedRole<State: Sendable, Event: Sendable> {
    /// The slot stands for all runs of the feedback.
    case allKeys(KeyedRunPool<State, Event>)
    /// The slot is the slot of one run.
    case oneKey(KeyedRun<State, Event>, of: KeyedRunPool<State, Event>)
}
