import HostLoop

/// Where the faults of a feedback's runs are told that go on when the call has returned: of the loop where they are. Used from any
/// thread.
final class FaultOutlet: Sendable {
    typealias Teller = @Sendable (RunFault) -> Void

    private let teller: Lock<Teller>

    init(_ teller: @escaping Teller) { self.teller = Lock(teller) }

    func tell(_ fault: RunFault) { teller.withLock { $0 }(fault) }

    /// Another loop has taken the place of this one, and the runs with it.
    func passOn(to other: FaultOutlet) { teller.withLock { $0 = { other.tell($0) } } }
}
