/// What one client of version 2 watches, and how much it got.
struct ServedActivity {
    /// A client gets at most so many lines in each window.
    static let most = 50
    static let window: Duration = .milliseconds(100)
    /// The app is asked again after this time at the earliest.
    private static let pause: Duration = .milliseconds(5)

    /// What the client wants.
    let watch: ControlWatch
    private var windowBegan = ContinuousClock.now
    private var sent = 0
    private var next = ContinuousClock.now
    private var nextCounters: ContinuousClock.Instant?

    init(_ watch: ControlWatch) {
        self.watch = watch
        nextCounters = watch.counters == nil ? nil : .now
    }

    /// The number of lines that the client may get now, and whether a window begins; nil if it is not yet time to ask.
    mutating func room(at now: ContinuousClock.Instant) -> (most: Int, isFresh: Bool)? {
        guard !watch.kinds.isEmpty, now >= next else { return nil }
        let isFresh = now >= windowBegan + Self.window
        if isFresh { (windowBegan, sent) = (now, 0) }
        return (Self.most - sent, isFresh)
    }

    /// The client gets so many lines, and others wait if `isMore`.
    mutating func took(_ count: Int, isMore: Bool, at now: ContinuousClock.Instant) {
        sent += count
        next = isMore || sent == Self.most ? windowBegan + Self.window : now + Self.pause
        waits = isMore || sent == Self.most
    }

    /// Other clients were asked for, and the app reports nothing before the next activity.
    mutating func missed() { waits = true }

    /// Whether lines may wait in the app.
    private var waits = false

    /// Whether the client gets the counters now.
    mutating func takesCounters(at now: ContinuousClock.Instant) -> Bool {
        guard let due = nextCounters, now >= due, let interval = watch.counters else { return false }
        nextCounters = max(due, now - .milliseconds(interval)) + .milliseconds(interval)
        return true
    }

    /// When to look again; nil if nothing waits for a time.
    ///
    /// - Parameter isReported: whether the app has reported activities that were not taken.
    func due(isReported: Bool) -> ContinuousClock.Instant? {
        let lines = !watch.kinds.isEmpty && (waits || isReported) ? next : nil
        return [lines, nextCounters].compactMap { $0 }.min()
    }
}
