public import HostLoop

/// Finds calls that last too long, from a look at the running calls now and then. It has no threads or
/// clocks.
public struct CallWatch: Sendable {
    /// A call that has lasted too long.
    public struct Overdue: Sendable {
        /// The call.
        public let call: RunningCall
        /// How long the call was seen: it may have lasted up to one look longer.
        public let lasted: Duration
    }

    private struct Seen {
        let serial: UInt64
        let since: LoopInstant
        /// The duration at which it is reported next.
        var next: Duration
    }

    /// The calls that had lasted longer than the deadline at the last look.
    public private(set) var lasting: [RunningCall] = []
    private let deadline: Duration
    private var seen: [UInt: Seen] = [:]
    private var lastLook: LoopInstant?

    /// - Parameter deadline: how long a call may last. A call is reported again each time that its duration
    ///   has doubled.
    public init(deadline: Duration) { self.deadline = deadline }

    /// Takes a look.
    ///
    /// - Returns: the calls to report.
    public mutating func look(_ calls: [RunningCall], at now: LoopInstant) -> [Overdue] {
        // A late look means that nothing ran, as when the process was stopped. The calls' durations are
        // unknown then.
        if let lastLook, lastLook.duration(to: now) > deadline * 2 { seen = [:] }
        lastLook = now
        var kept: [UInt: Seen] = [:]
        var overdue: [Overdue] = []
        lasting = []
        for call in calls {
            guard var known = seen[call.thread], known.serial == call.serial else {
                kept[call.thread] = Seen(serial: call.serial, since: now, next: deadline)
                continue
            }
            let lasted = Duration.nanoseconds(now.nanoseconds - known.since.nanoseconds)
            if lasted >= deadline { lasting.append(call) }
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
