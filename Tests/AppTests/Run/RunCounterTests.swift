import HostLoop
import Testing

@testable import App

/// The counts of a feedback's runs, when not all of them are seen.
@Suite struct RunCounterTests {
    private var counter = RunCounter("read")

    /// Began, ended, cancelled, failed, and the runs that failed.
    private var counts: [Int] {
        let counts = counter.counts
        return [counts.began, counts.ended, counts.cancelled, counts.failed, counts.failedRuns]
    }

    @Test mutating func `runs that are all seen are counted once, with their durations`() {
        for number in UInt64(1)...3 { counter.begin(number, at: Int64(number) * 10) }
        #expect(counter.open(2)?.began == 20)
        #expect(counter.end(2, at: 25) == .nanoseconds(5))
        #expect(counter.end(1, at: 30) == .nanoseconds(20))
        counter.cancel(3)
        #expect(counts == [3, 2, 1, 0, 0])
        #expect(counter.counts.times.count == 2 && counter.open(2) == nil)
    }

    @Test mutating func `a run that began before the watch is counted when it ends`() {
        #expect(counter.end(7, at: 5) == nil)
        counter.cancel(8)
        #expect(counts == [0, 1, 1, 0, 0])
        counter.begin(9, at: 10)
        #expect(counter.end(6, at: 11) == nil)
        #expect(counts == [1, 2, 1, 0, 0])
    }

    @Test mutating func `a run fails when it ends, and only then`() {
        counter.begin(1, at: 0)
        counter.fail(1, isObserved: true)
        #expect(counts == [1, 0, 0, 1, 0])
        _ = counter.end(1, at: 1)
        #expect(counts == [1, 1, 0, 1, 1])
        counter.fail(nil, isObserved: true)
        #expect(counts == [1, 1, 0, 2, 1])
        counter.begin(2, at: 2)
        counter.fail(2, isObserved: true)
        counter.cancel(2)
        #expect(counts == [2, 1, 1, 3, 1])
    }

    @Test mutating func `runs that were not seen are counted with the next one`() {
        counter.begin(1, at: 0)
        counter.begin(2, at: 0)
        counter.resume(live: [2])
        #expect(counts == [2, 1, 0, 0, 0])
        // The loop reports the end of the first run late: it is counted already.
        #expect(counter.end(1, at: 5) == nil)
        #expect(counts == [2, 1, 0, 0, 0])
        counter.begin(6, at: 10)
        #expect(counts == [6, 4, 0, 0, 0])
        #expect(counter.end(2, at: 10) == .nanoseconds(10))
        #expect(counter.end(6, at: 11) == .nanoseconds(1))
        #expect(counts == [6, 6, 0, 0, 0])
        // Nothing was left out since, so a number that is skipped was no run that was not seen.
        counter.begin(8, at: 12)
        #expect(counts == [7, 6, 0, 0, 0])
    }

    @Test mutating func `a run that began while the loop was not observed is counted once when it ends`() {
        counter.begin(1, at: 0)
        counter.resume(live: [3, 4])
        #expect(counter.end(4, at: 5) == nil)
        // The third counts as ended since the fourth was seen.
        counter.cancel(3)
        counter.begin(5, at: 6)
        #expect(counts == [5, 4, 0, 0, 0])
        counter.resume(live: [7])
        counter.cancel(7)
        #expect(counts == [7, 6, 1, 0, 0])
    }

    @Test
    mutating func
        `a run that fails while the loop is not observed never leaves fewer ended runs than failed ones`()
    {
        counter.begin(1, at: 0)
        #expect(counter.end(1, at: 1) == .nanoseconds(1))
        counter.fail(4, isObserved: false)
        counter.fail(9, isObserved: false)
        counter.fail(6, isObserved: false)
        #expect(counts == [9, 7, 0, 3, 0])
        counter.resume(live: [9])
        #expect(counts == [9, 8, 0, 3, 2])
        #expect(counter.end(9, at: 20) == nil)
        #expect(counts == [9, 9, 0, 3, 3] && counter.counts.times.count == 1)
    }

    @Test mutating func `a run from before the watch that fails while the loop is not observed has ended`() {
        counter.fail(3, isObserved: false)
        counter.resume(live: [])
        #expect(counts == [0, 1, 0, 1, 1])
        counter.begin(5, at: 0)
        counter.fail(4, isObserved: false)
        counter.resume(live: [5])
        #expect(counts == [1, 2, 0, 2, 2])
    }

    @Test mutating func `a successor continues the counts, and the runs that continue`() {
        counter.begin(1, at: 5)
        counter.fail(1, isObserved: true)
        var (ends, continues) = (RunCounter("read"), RunCounter("read"))
        ends.succeed(counter, runsContinue: false)
        continues.succeed(counter, runsContinue: true)
        #expect(ends.open(1) == nil && continues.open(1)?.began == 5)
        #expect(continues.end(1, at: 7) == .nanoseconds(2))
        #expect(continues.counts.began == 1 && continues.counts.failedRuns == 1)
    }
}
