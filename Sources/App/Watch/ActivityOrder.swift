import Synchronization

/// Numbers the activities of all loops of an app, and reports that there are some. May be used from any thread.
final class ActivityOrder: Sendable {
    private let last = Atomic<UInt64>(0)
    private let isReported = Atomic<Bool>(false)
    private let came: @Sendable () -> Void

    /// - Parameter came: called when there are activities again after `taken`. It must not block.
    init(came: @escaping @Sendable () -> Void) { self.came = came }

    /// The number of the last activity.
    var latest: UInt64 { last.load(ordering: .relaxed) }

    /// Whether an activity was reported since `taken`.
    var hasReported: Bool { isReported.load(ordering: .relaxed) }

    /// The number of the next activity.
    func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }

    /// An activity can be taken. Called without any lock.
    func report() {
        if !isReported.load(ordering: .relaxed), !isReported.exchange(true, ordering: .acquiringAndReleasing)
        {
            came()
        }
    }

    /// Another thread is about to take all activities.
    func taken() { isReported.store(false, ordering: .sequentiallyConsistent) }
}
