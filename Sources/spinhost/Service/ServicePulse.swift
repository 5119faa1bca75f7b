/// Decides when a service manager hears of an app that runs, and of its counts. A plain value without locks or clocks.
struct ServicePulse {
    /// How often the counts are sent, if they have changed.
    static let statusInterval: Duration = .seconds(10)

    private let watchdog: Duration?
    private var isReady = false
    private var status = ""
    /// When something was sent last, since an origin of the caller.
    private var (lastStatus, lastSign): (Duration?, Duration?) = (nil, nil)

    /// - Parameter watchdog: the time within which the manager wants a sign of life.
    init(watchdog: Duration?) { self.watchdog = watchdog }

    /// All loops have begun. Returns the assignments to send.
    mutating func ready(_ status: String, at now: Duration) -> [String] {
        (isReady, self.status, lastStatus, lastSign) = (true, status, now, now)
        return ["READY=1", "STATUS=\(status)"] + (watchdog == nil ? [] : ["WATCHDOG=1"])
    }

    /// The watchdog has looked at the calls of plugins. Returns the assignments to send.
    ///
    /// - Parameters:
    ///   - isHeld: whether a call holds a loop for too long. The manager gets no sign of life then.
    ///   - interval: the time between two looks.
    mutating func looked(
        _ status: @autoclosure () -> String, isHeld: Bool, at now: Duration, every interval: Duration
    ) -> [String] {
        guard isReady else { return [] }
        var assignments: [String] = []
        // A look may come a little early or late.
        let slack = interval / 2
        if let watchdog, !isHeld, lastSign.map({ now - $0 + slack >= watchdog / 2 }) ?? true {
            assignments.append("WATCHDOG=1")
            lastSign = now
        }
        if lastStatus.map({ now - $0 + slack >= Self.statusInterval }) ?? true {
            lastStatus = now
            let status = status()
            if status != self.status { assignments.append("STATUS=\(status)") }
            self.status = status
        }
        return assignments
    }

    /// `3 loops, 1,204,331 steps, 0 faults`
    static func status(loops: Int, steps: Int, faults: Int) -> String {
        [
            CountText.count(loops, "loop"), CountText.count(steps, "step"), CountText.count(faults, "fault"),
        ].joined(separator: ", ")
    }
}
