import Glibc

/// Measures time by the monotonic clock.
enum Stopwatch {
    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let elapsed = (ContinuousClock.now - start).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    }

    /// The time of `CLOCK_MONOTONIC` in nanoseconds.
    static func nanoseconds() -> Int {
        var time = timespec()
        // Safe because the call only writes the local it is given.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Waits until `CLOCK_MONOTONIC` shows `nanoseconds`.
    static func sleep(until nanoseconds: Int) {
        var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        // Safe because the call only reads the local it is given.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}
