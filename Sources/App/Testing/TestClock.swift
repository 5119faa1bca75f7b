import HostLoop

/// The clock of a test of the manifest. Its time stands still during an action, and then jumps to the next
/// action that is due. It begins at 0; one thread uses it.
final class TestClock: LoopClock {
    private struct Face: Sendable {
        var now = LoopInstant(nanoseconds: 0)
        var timers = TimerList()
    }

    private let face = Lock(Face())

    var now: LoopInstant { face.withLock { $0.now } }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = face.withLock { $0.timers.add(at: instant, action) }
        return Cancellation {
            // The values that the action captured are released outside of the lock.
            let action = self.face.withLock { $0.timers.remove(ticket) }
            withExtendedLifetime(action) {}
        }
    }

    /// Advances to the next action that is due, and calls it; false when there is none.
    func advance() -> Bool {
        let action = face.withLock { face -> (@Sendable () -> Void)? in
            guard let next = face.timers.next else { return nil }
            face.now = max(face.now, next)
            return face.timers.takeDue(at: face.now)
        }
        action?()
        return action != nil
    }
}
