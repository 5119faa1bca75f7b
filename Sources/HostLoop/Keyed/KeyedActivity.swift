import Synchronization

/// Whether anything can happen by itself in any loop of a `KeyedLoops`. Used from any thread.
///
/// It counts loops that are scheduled or drained, and loops at rest whose effects still run. Events must not be performed,
/// and the executor must not be `LoopExecutor.caller`.
@usableFromInline package final class KeyedActivity: Sendable {
    private let awake = Atomic<Int>(0)
    private let busy = Atomic<Int>(0)
    private let woke: @Sendable () -> Void
    private let rested: @Sendable () -> Void

    /// - Parameters:
    ///   - woke: called when a loop wakes while all others rest, before the emission returns that wakes it.
    ///   - rested: called when the last loop has come to rest. Other loops may wake meanwhile.
    package init(woke: @escaping @Sendable () -> Void, rested: @escaping @Sendable () -> Void) {
        (self.woke, self.rested) = (woke, rested)
    }

    /// Whether all loops rest, and no effect of them runs.
    package var isQuiet: Bool {
        awake.load(ordering: .sequentiallyConsistent) == 0
            && busy.load(ordering: .sequentiallyConsistent) == 0
    }

    /// The number of loops that are scheduled or drained.
    package var awakeCount: Int { awake.load(ordering: .relaxed) }

    /// The number of loops at rest whose effects still run.
    package var busyCount: Int { busy.load(ordering: .relaxed) }

    func wake() {
        if awake.add(1, ordering: .sequentiallyConsistent).oldValue == 0 { woke() }
    }

    /// The effects of a loop begin or cease to keep it busy. Its thread calls this before `rest`.
    func change(isBusy: Bool) { busy.add(isBusy ? 1 : -1, ordering: .sequentiallyConsistent) }

    func rest() {
        guard awake.subtract(1, ordering: .sequentiallyConsistent).newValue == 0, isQuiet else { return }
        rested()
    }
}
