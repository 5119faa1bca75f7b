import HostLoop
import Records

/// What is kept and counted of one watched loop.
struct WatchedLoop {
    /// The greatest number of steps that are kept.
    static let mostSteps = 10_000
    /// The steps that are kept have about so many bytes of JSON at most, by samples.
    static let mostBytes = 16 << 20
    /// So often a step is measured.
    private static let sampling: UInt64 = 256

    var openings = 0
    /// Whether the loop is observed, or will be when a reader comes.
    var isAttached = false
    /// The running loop, while somebody watches it.
    var loop: Loop<Record, AppEvent>?
    /// What is kept, by `Part`. So runs, which are many, replace no events.
    private(set) var parts = Part.allCases.map { _ in ActivityRing(capacity: Self.mostSteps) }
    var budget = ActivityBudget()
    /// The number of the last step that was kept.
    var lastKept: UInt64?
    var counts: WatchedCounts
    /// By feedback: its runs that have not ended.
    var running: [OpenRuns]
    private let names: [String]
    /// The number of the last counted step, and the origin of its event.
    private var last: (step: UInt64, origin: Int)?
    /// By feedback: the number of the last run that was seen, and whether later ones may not have been.
    private var lastRuns: [(number: UInt64, hasGap: Bool)]

    /// The activities that are kept together.
    enum Part: Int, CaseIterable {
        /// Steps, and the gaps between them.
        case steps
        case unhandled, runs, faults

        /// The kind that a client chooses.
        var kind: AppActivity.Kind {
            switch self {
            case .steps, .unhandled: .steps
            case .runs: .runs
            case .faults: .faults
            }
        }

        init(_ activity: AppActivity) {
            switch activity.content {
            case .step, .gap, .message: self = .steps
            case .unhandled: self = .unhandled
            case .run: self = .runs
            case .fault: self = .faults
            }
        }
    }

    /// - Parameter names: the names of the feedbacks.
    init(_ names: [String]) {
        self.names = names
        counts = Self.none(names)
        running = names.map { _ in OpenRuns() }
        lastRuns = names.map { _ in (0, false) }
    }

    private static func none(_ names: [String]) -> WatchedCounts {
        WatchedCounts(since: WallClock.coarse, runs: names.map { WatchedCounts.Runs(feedback: $0) })
    }

    /// Forgets what is kept.
    ///
    /// - Parameter counts: whether the counts begin again, too.
    mutating func forget(counts forgets: Bool) {
        for index in parts.indices { parts[index].removeAll() }
        (budget, lastKept) = (ActivityBudget(), nil)
        guard forgets else { return }
        counts = Self.none(names)
        running = names.map { _ in OpenRuns() }
        (last, lastRuns) = (nil, names.map { _ in (0, false) })
    }

    /// Keeps an activity.
    mutating func keep(_ activity: AppActivity) { parts[Part(activity).rawValue].append(activity) }

    /// The steps that are kept, and the gaps between them.
    var steps: ActivityRing { parts[Part.steps.rawValue] }

    /// Counts a step.
    mutating func count(_ step: UInt64, _ origin: Int) {
        counts.events[origin].handled += 1
        last = (step, origin)
    }

    /// Keeps fewer steps if they are large.
    mutating func measure(_ step: AppStep) {
        guard steps.total % Self.sampling == 0 else { return }
        let size = step.after.value.json.utf8.count + step.payload.value.json.utf8.count
        parts[Part.steps.rawValue].limit(to: max(16, min(Self.mostSteps, Self.mostBytes / max(1, size))))
    }

    /// Counts the begin of a run, and of those before it that were not seen.
    ///
    /// - Parameter now: the nanoseconds of `LoopWatch.clock`.
    mutating func begin(_ run: EffectRun, at now: Int64) {
        let (number, hasGap) = lastRuns[run.index]
        let missed = hasGap && number > 0 && run.number > number ? Int(clamping: run.number - number - 1) : 0
        lastRuns[run.index] = (max(number, run.number), false)
        counts.runs[run.index].began += 1 + missed
        counts.runs[run.index].ended += missed
        running[run.index].begin(run.number, at: now)
    }

    /// The loop is observed from a step on, or again.
    ///
    /// Steps that were not seen count as those of the origin that was seen last. Runs that were not seen are counted with
    /// the next one of their feedback.
    /// - Returns: how many steps were not kept since the last one that was.
    mutating func resume(at step: UInt64, _ present: [EffectRun]) -> UInt64 {
        if let last, step > last.step {
            counts.events[last.origin].handled += Int(clamping: step - last.step)
            self.last?.step = step
        }
        for index in running.indices {
            let live = Set(present.lazy.filter { $0.index == index }.map(\.number))
            counts.runs[index].ended += running[index].end { !live.contains($0) }
            lastRuns[index].hasGap = true
        }
        budget.renew()
        let missed = lastKept.map { step > $0 ? step - $0 : 0 } ?? 0
        lastKept = step
        return missed
    }
}

/// The runs of one feedback that have not ended, and when they began, in nanoseconds of `LoopWatch.clock`.
struct OpenRuns {
    /// The last one. Most runs end before the next one begins, and need no table.
    private var last: (number: UInt64, began: Int64)?
    private var others: [UInt64: Int64] = [:]

    /// A run begins.
    mutating func begin(_ number: UInt64, at now: Int64) {
        if let last { others[last.number] = last.began }
        last = (number, now)
    }

    /// A run ends. Returns when it began; nil if it is not known.
    mutating func end(_ number: UInt64) -> Int64? {
        guard let last, last.number == number else { return others.removeValue(forKey: number) }
        self.last = nil
        return last.began
    }

    /// Ends the runs with some numbers, and returns how many.
    mutating func end(where isEnded: (UInt64) -> Bool) -> Int {
        let ended = ([last?.number].compactMap { $0 } + others.keys).filter(isEnded)
        for number in ended { _ = end(number) }
        return ended.count
    }

    /// When a run began; nil if it is not known.
    func began(_ number: UInt64) -> Int64? { last?.number == number ? last?.began : others[number] }
}

/// How many activities of a loop may still be kept.
///
/// It bounds what a watched loop costs: about half a microsecond for each activity. A burst as long as a ring of steps
/// with their runs is kept whole.
struct ActivityBudget {
    /// The greatest number, and what a second adds.
    static let most = 30_000, perSecond = 100_000
    /// A loop that spent all is observed again when so many may be kept.
    private static let least = 2_000

    private var left = Self.most
    private var refilled: ContinuousClock.Instant?
    private var isSpent = false
    /// What is granted when the loop is observed again; nil if nobody asked for that.
    private var granted: Int?

    /// Counts one activity. Returns true once: when nothing is left.
    mutating func spend() -> Bool {
        left -= 1
        guard left <= 0, !isSpent else { return false }
        isSpent = true
        return true
    }

    /// Adds what the time since the last call allows.
    ///
    /// - Returns: whether the loop is to be observed again: true once after all was spent.
    mutating func refill(at now: ContinuousClock.Instant) -> Bool {
        let since = refilled.map { now - $0 } ?? .seconds(1)
        let allowed = Int(min(since / .seconds(1), 1) * Double(Self.perSecond))
        if !isSpent {
            refilled = now
            left = min(Self.most, left + allowed)
            return false
        }
        guard granted == nil, allowed >= Self.least else { return false }
        refilled = now
        granted = min(Self.most, allowed)
        return true
    }

    /// The loop is observed again.
    mutating func renew() {
        guard isSpent else { return }
        left = granted ?? Self.most
        (isSpent, granted) = (false, nil)
    }
}
