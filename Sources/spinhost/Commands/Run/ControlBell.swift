import HostLoop

/// Tells the server of a port's states, once there is one. May be used from any thread.
final class ControlBell: Sendable {
    private let ringing = Lock<(@Sendable () -> Void)?>(nil)

    func onRinging(_ body: @escaping @Sendable () -> Void) { ringing.withLock { $0 = body } }

    func ring() { ringing.withLock { $0 }?() }
}
