/// The runs of a feedback with one run per key, as the loop sees them.
@usableFromInline
final class KeyedRuns<State: Sendable, Event: Sendable> {
    /// Runs that the state at hand replaces, or removes, in order.
    @usableFromInline var endings: ContiguousArray<KeyedRun<State, Event>> = []
    /// Answers the runs that it starts or updates, in order; asked once the endings are done, so that new
    /// keys may have what those that left have left.
    @usableFromInline var takeStarts: (() -> ContiguousArray<KeyedRun<State, Event>>)?
    /// Every run that was made: as many as there were keys at once.
    private var all: ContiguousArray<KeyedRun<State, Event>> = []
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

    /// Gives a run to later keys if its key has gone; no call of it may execute any more.
    func releaseIfGone(_ run: KeyedRun<State, Event>) {
        guard run.effect == nil, let forget = run.forget.take() else { return }
        forget()
        free.append(run)
    }

    /// The number of the next run, unique among those of all keys.
    func drawNumber() -> UInt64 {
        number += 1
        return number
    }

    /// Forgets what users gave, which may refer to their runs, which refer to this.
    func close() {
        for run in all { (run.effect, run.update, run.forget) = (nil, nil, nil) }
        (endings, free, all, takeStarts) = ([], [], [], nil)
    }
}
