package import HostLoop

/// How long a test waits at most, and by which clock.
package struct TimeLimit: Sendable {
    var duration: Duration
    var clock: any LoopClock

    /// Makes a limit.
    package init(_ duration: Duration, on clock: any LoopClock = ContinuousLoopClock()) {
        self.duration = duration
        self.clock = clock
    }
}
