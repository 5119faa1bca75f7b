import HostLoop
import Records

/// Counts the runs of one feedback.
///
/// A loop that has spent its budget is not observed. The runs of a feedback have successive numbers, so the next one that
/// is seen tells how many were not. Times are nanoseconds of `LoopWatch.clock`.
struct RunCounter {
    private(set) var counts: WatchedCounts.Runs
    private var running = OpenRuns()
    /// Runs whose effect has failed and that have not ended.
    private var failing: Set<UInt64> = []
    /// The numbers of the first and last run that are counted as begun; nil before.
    private var counted: ClosedRange<UInt64>?
    /// Whether later runs may not have been seen.
    private var hasGap = false

    /// - Parameter feedback: its name.
    init(_ feedback: String) { counts = WatchedCounts.Runs(feedback: feedback) }

    /// A run that has not ended; nil if it is not known.
    func open(_ number: UInt64) -> OpenRun? { running[number] }

    /// A run calls its effect.
    mutating func called(_ number: UInt64, with arguments: Record) {
        running[number]?.arguments = arguments
    }

    /// A run begins. Those before it that were not seen count as ended.
    ///
    /// - Parameter now: nil if it began at an earlier time that is not known.
    mutating func begin(_ number: UInt64, at now: Int64?) {
        let missed = counted.map { hasGap && number > $0.upperBound ? number - $0.upperBound - 1 : 0 } ?? 0
        counts.began += 1 + Int(clamping: missed)
        counts.ended += Int(clamping: missed)
        hasGap = false
        counted = min(counted?.lowerBound ?? number, number)...max(counted?.upperBound ?? number, number)
        running.begin(number, at: now)
    }

    /// A run ends. Returns how long it lasted; nil if its begin was not seen.
    mutating func end(_ number: UInt64, at now: Int64) -> Duration? {
        guard let run = close(number) else { return nil }
        counts.ended += 1
        if !failing.isEmpty, failing.remove(number) != nil { counts.failedRuns += 1 }
        guard let began = run.began else { return nil }
        counts.times.add(nanoseconds: now - began)
        return .nanoseconds(now - began)
    }

    /// A run is cancelled.
    mutating func cancel(_ number: UInt64) {
        guard close(number) != nil else { return }
        counts.cancelled += 1
        failing.remove(number)
    }

    /// The feedback fails.
    ///
    /// - Parameters:
    ///   - number: the run whose effect has failed; nil for the condition of the feedback.
    ///   - isObserved: whether the loop is observed.
    mutating func fail(_ number: UInt64?, isObserved: Bool) {
        counts.failed += 1
        guard let number else { return }
        if !isObserved { hasGap = true }
        notice(number)
        failing.insert(number)
    }

    /// The loop is observed again.
    ///
    /// - Parameter live: the runs that have not ended.
    mutating func resume(live: Set<UInt64>) {
        counts.ended += running.end { !live.contains($0) }
        for number in failing.subtracting(live) {
            if isFromBefore(number) { counts.ended += 1 }
            counts.failedRuns += 1
            failing.remove(number)
        }
        hasGap = true
    }

    /// Continues the counts of a feedback of the loop before.
    ///
    /// - Parameter runsContinue: whether its runs continue, too.
    mutating func succeed(_ other: RunCounter, runsContinue: Bool) {
        counts = other.counts
        if runsContinue { (running, failing) = (other.running, other.failing) }
    }

    /// Counts a run that began while the loop was not observed.
    private mutating func notice(_ number: UInt64) {
        if hasGap, let counted, number > counted.upperBound { begin(number, at: nil) }
    }

    /// Takes a run from the open ones; nil if it is counted as ended already.
    private mutating func close(_ number: UInt64) -> OpenRun? {
        notice(number)
        if let run = running.end(number) { return run }
        return isFromBefore(number) ? OpenRun(number: number, began: nil) : nil
    }

    /// Whether a run began before the first one that is counted.
    private func isFromBefore(_ number: UInt64) -> Bool { counted.map { number < $0.lowerBound } ?? true }
}

/// A run that has not ended.
struct OpenRun {
    let number: UInt64
    /// Nil if it is not known.
    let began: Int64?
    /// The arguments of its last call; nil if they are not known.
    var arguments: Record?
}

/// The runs of one feedback that have not ended.
private struct OpenRuns {
    /// The last one. Most runs end before the next one begins, and need no table.
    private var last: OpenRun?
    private var others: [UInt64: OpenRun] = [:]

    subscript(_ number: UInt64) -> OpenRun? {
        get { last?.number == number ? last : others[number] }
        set { if last?.number == number { last = newValue } else { others[number] = newValue } }
    }

    /// A run begins.
    mutating func begin(_ number: UInt64, at now: Int64?) {
        if let last { others[last.number] = last }
        last = OpenRun(number: number, began: now)
    }

    /// A run ends. Returns nil if it is not open.
    mutating func end(_ number: UInt64) -> OpenRun? {
        guard let last, last.number == number else { return others.removeValue(forKey: number) }
        self.last = nil
        return last
    }

    /// Ends the runs with some numbers, and returns how many.
    mutating func end(where isEnded: (UInt64) -> Bool) -> Int {
        let ended = ([last?.number].compactMap { $0 } + others.keys).filter(isEnded)
        for number in ended { _ = end(number) }
        return ended.count
    }
}
