import References

/// What it takes to make many loops.
struct MakingFigure {
    /// The bytes that `malloc` has given out for one loop, including its own headers.
    let bytes: Double
    /// The time for one loop, until the last one is done.
    let microseconds: Double

    /// - Parameters:
    ///   - done: counts the loops that have done their work.
    ///   - make: makes all loops.
    init(of loops: Int, until done: Countdown, _ make: () -> Void) {
        let before = heap_bytes_in_use()
        let start = ContinuousClock.now
        make()
        done.wait()
        let seconds = Stopwatch.seconds(since: start)
        bytes = Double(heap_bytes_in_use() - before) / Double(loops)
        microseconds = seconds * 1e6 / Double(loops)
    }
}
