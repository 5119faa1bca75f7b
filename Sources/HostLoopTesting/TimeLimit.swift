package import HostLoop

/// The longest wait of a test, and the clock that measures it.
package struct TimeLimit: Sendable {
    var duration: Duration
    var clock: any LoopClock

    /// Makes a limit of `duration` on `clock`.
    package init(_ duration: Duration, on clock: any LoopClock = ContinuousLoopClock()) {
        self.duration = duration
        self.clock = clock
    }
}
