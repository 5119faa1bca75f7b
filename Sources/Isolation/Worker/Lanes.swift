import HostLoop

/// Jobs of which only one may be done at a time, by their lanes. May be used from any thread.
final class Lanes: Sendable {
    // A lane is here while one of its jobs is done.
    private let waiting = Lock<[UInt64: FIFO<@Sendable () -> Void>]>([:])

    /// Whether a job can be done now. If not, it waits, and a thread gets it from `leave`.
    func enter(_ lane: UInt64, _ job: @escaping @Sendable () -> Void) -> Bool {
        lane == 0
            || waiting.withLock { lanes in
                guard lanes[lane] != nil else {
                    lanes[lane] = FIFO()
                    return true
                }
                lanes[lane]!.append(job)
                return false
            }
    }

    /// A job is done. Returns the next one of the lane, which the caller must do.
    func leave(_ lane: UInt64) -> (@Sendable () -> Void)? {
        guard lane != 0 else { return nil }
        return waiting.withLock { lanes in
            if let next = lanes[lane]?.popFirst() { return next }
            lanes[lane] = nil
            return nil
        }
    }
}
