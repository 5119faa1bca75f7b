@testable import HostLoop

/// A clock whose time passes only when a test says so.
final class ManualLoopClock: LoopClock {
    private struct Face: Sendable {
        var now = LoopInstant(nanoseconds: 0)
        var timers = TimerList()
    }

    private let face = Lock(Face())

    var now: LoopInstant { face.withLock { $0.now } }
    var timerCount: Int { face.withLock { $0.timers.count } }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = face.withLock { $0.timers.add(at: instant, action) }
        return Cancellation { _ = self.face.withLock { $0.timers.remove(ticket) } }
    }

    /// Lets time pass, and calls what becomes due, in order, each at its own time.
    func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let action = face.withLock { face -> (@Sendable () -> Void)? in
                guard let next = face.timers.next, next <= end else {
                    face.now = end
                    return nil
                }
                face.now = max(face.now, next)
                return face.timers.takeDue(at: face.now)
            }
            guard let action else { return }
            action()
        }
    }
}
