public import HostLoop

/// Which calls last too long: decided from what is seen of them now and then, without threads or clocks.
public struct CallWatch: Sendable {
    /// A call that has lasted too long.
    public struct Overdue: Sendable {
        /// The call.
        public let call: RunningCall
        /// How long it has been seen: it may have lasted up to one look longer.
        public let lasted: Duration
    }

    private struct Seen {
        let serial: UInt64
        let since: LoopInstant
        /// When to tell of it next.
        var next: Duration
    }

    private let deadline: Duration
    private var seen: [UInt: Seen] = [:]
    private var lastLook: LoopInstant?

    /// - Parameter deadline: how long a call may last; told again each time that it has lasted twice as long.
    public init(deadline: Duration) { self.deadline = deadline }

    /// Takes a look, and answers what to tell.
    public mutating func look(_ calls: [RunningCall], at now: LoopInstant) -> [Overdue] {
        // After a look that was not taken in time, as nothing ran (the process was stopped), nobody knows how long a call has had.
        if let lastLook, lastLook.duration(to: now) > deadline * 2 { seen = [:] }
        lastLook = now
        var kept: [UInt: Seen] = [:]
        var overdue: [Overdue] = []
        for call in calls {
            guard var known = seen[call.thread], known.serial == call.serial else {
                kept[call.thread] = Seen(serial: call.serial, since: now, next: deadline)
                continue
            }
            let lasted = Duration.nanoseconds(now.nanoseconds - known.since.nanoseconds)
            if lasted >= known.next {
                while known.next <= lasted { known.next *= 2 }
                overdue.append(Overdue(call: call, lasted: lasted))
            }
            kept[call.thread] = known
        }
        seen = kept
        return overdue
    }
}
