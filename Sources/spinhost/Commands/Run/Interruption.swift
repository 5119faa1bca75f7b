import Synchronization

/// Whether a command was interrupted. May be used from any thread.
final class Interruption: Sendable {
    private let flag = Atomic<Bool>(false)

    var happened: Bool { flag.load(ordering: .relaxed) }

    /// Notes that it is now; true for the first time.
    func isFirst() -> Bool { !flag.exchange(true, ordering: .relaxed) }
}
