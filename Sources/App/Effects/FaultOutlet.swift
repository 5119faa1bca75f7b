import HostLoop

/// Reports the faults of runs that continue after their call has returned, to the loop that has the runs now.
/// Used from any thread.
final class FaultOutlet: Sendable {
    typealias Teller = @Sendable (RunFault) -> Void

    private let teller: Teller
    private let newest: Lock<Newest<FaultOutlet>>

    init(_ teller: @escaping Teller) {
        self.teller = teller
        newest = Lock(Newest())
        newest.withLock { $0.object = self }
    }

    func tell(_ fault: RunFault) { newest.withLock { $0 }.object?.teller(fault) }

    /// Another loop has taken the place of this one, and the runs with it.
    func passOn(to other: FaultOutlet) {
        let newest = newest.withLock { $0 }
        newest.object = other
        other.newest.withLock { $0 = newest }
    }
}
