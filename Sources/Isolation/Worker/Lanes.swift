import HostLoop

/// Jobs of which only one may be done at a time, by their lanes. May be used from any thread.
final class Lanes: Sendable {
    private struct Lane {
        /// The jobs that are done now, and cancellations of its calls.
        var busy = 0
        var waiting = FIFO<any ReaderJob>()
    }

    private struct State {
        var lanes: [UInt64: Lane] = [:]
        /// The calls that wait.
        var calls: [UInt64: ServedCall] = [:]
    }

    private let state = Lock(State())

    /// Whether a job can be done now. If not, it waits, and a thread gets it from `leave`.
    ///
    /// - Parameter lane: 0: any number of jobs may be done at a time.
    func enter(_ lane: UInt64, _ job: any ReaderJob) -> Bool {
        lane == 0
            || state.withLock { state in
                if state.lanes[lane, default: Lane()].busy == 0 {
                    state.lanes[lane, default: Lane()].busy = 1
                    return true
                }
                state.lanes[lane]!.waiting.append(job)
                if let call = job as? ServedCall { state.calls[call.number] = call }
                return false
            }
    }

    /// Lets later jobs wait until `leave`, beside the job that is done now.
    func hold(_ lane: UInt64) {
        if lane != 0 { state.withLock { $0.lanes[lane, default: Lane()].busy += 1 } }
    }

    /// A job is done, or a hold is over. Returns the next job of the lane, which the caller must do.
    func leave(_ lane: UInt64) -> (any ReaderJob)? {
        guard lane != 0 else { return nil }
        return state.withLock { state in
            state.lanes[lane]!.busy -= 1
            guard state.lanes[lane]!.busy == 0 else { return nil }
            guard let next = state.lanes[lane]!.waiting.popFirst() else {
                // Each instance has a lane, and instances come and go.
                state.lanes[lane] = nil
                return nil
            }
            if let call = next as? ServedCall { state.calls[call.number] = nil }
            state.lanes[lane]!.busy = 1
            return next
        }
    }

    /// The call of that number, if it waits. It is not found again.
    func take(_ call: UInt64) -> ServedCall? { state.withLock { $0.calls.removeValue(forKey: call) } }
}
