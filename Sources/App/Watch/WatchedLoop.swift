import HostLoop
import Manifest
import Records

/// What is kept and counted of one watched loop.
struct WatchedLoop {
    /// The instances of a loop with a key, which keep the watch.
    struct Kind: Sendable {
        weak let watch: KeyedWatch<LoopKey, Record, AppEvent>?
        /// Counts the steps of all instances.
        let steps: StepCount
    }

    /// The greatest number of steps that are kept.
    static let mostSteps = 10_000
    /// The steps that are kept have about so many bytes of JSON at most, by samples.
    static let mostBytes = 16 << 20
    /// So often a step is measured.
    private static let sampling: UInt64 = 256

    var openings = 0
    /// Whether the loop has this observer.
    var isAttached = false
    /// The running loop, while somebody watches it.
    var loop: Loop<Record, AppEvent>?
    /// The instances of a loop with a key, once they can begin.
    var kind: Kind?
    var instanceRuns = InstanceRuns()
    /// Steps, unhandled events, and the gaps between them.
    private(set) var steps = ActivityRing(capacity: Self.mostSteps)
    private var runs = ActivityRing(capacity: Self.mostSteps)
    private var faults = ActivityRing(capacity: Self.mostSteps)
    var budget = ActivityBudget()
    /// The number of the last step that was kept.
    var lastKept: UInt64?
    /// Since when events are counted, in nanoseconds since 1970-01-01T00:00:00Z.
    var since = WallClock.coarse
    /// By origin, in the order of `WatchedCounts.Origin`.
    var events = Self.noEvents
    /// By feedback.
    var runCounters: [RunCounter]
    /// The number of the last counted step, and the origin of its event.
    private var last: (step: UInt64, origin: Int)?

    private static let noEvents = WatchedCounts.Origin.allCases.map { _ in WatchedCounts.Events() }

    /// - Parameter names: the names of the feedbacks.
    init(_ names: [String]) { runCounters = names.map { RunCounter($0) } }

    /// What was counted.
    var counts: WatchedCounts { WatchedCounts(since: since, events: events, runs: runCounters.map(\.counts)) }

    /// Forgets what is kept.
    ///
    /// - Parameter counts: whether the counts begin again, too.
    mutating func forget(counts forgets: Bool) {
        steps.removeAll()
        runs.removeAll()
        faults.removeAll()
        (budget, lastKept) = (ActivityBudget(), nil)
        guard forgets else { return }
        instanceRuns.forget()
        (since, events, last) = (WallClock.coarse, Self.noEvents, nil)
        runCounters = runCounters.map { RunCounter($0.counts.feedback) }
    }

    /// Whether somebody watches, and the budget is not spent.
    var keeps: Bool { openings > 0 && !budget.isSpent }

    /// Keeps an activity.
    mutating func keep(_ activity: AppActivity) {
        if case .step(let step, _) = activity.content {
            lastKept = max(lastKept ?? 0, kind?.steps.current ?? step.index)
        }
        switch activity.kind {
        case .steps: steps.append(activity)
        case .runs: runs.append(activity)
        case .faults: faults.append(activity)
        // `MessageWatch` keeps the messages of all loops.
        case .gears: break
        }
    }

    /// The activities of one kind; nil for messages.
    func ring(_ kind: AppActivity.Kind) -> ActivityRing? {
        switch kind {
        case .steps: steps
        case .runs: runs
        case .faults: faults
        case .gears: nil
        }
    }

    /// Counts a step.
    mutating func count(_ step: UInt64, _ origin: Int) {
        guard let kind else {
            events[origin].handled += 1
            last = (step, origin)
            return
        }
        // An instance that was in the middle of its turn when the watch opened is not seen before its next one.
        let total = kind.steps.current
        events[origin].handled += Int(clamping: last.map { total > $0.step ? total - $0.step : 0 } ?? 1)
        last = (max(total, last?.step ?? 0), origin)
    }

    /// How many steps of other instances there were before the present step, since the last one that was kept.
    var missedSteps: UInt64 {
        guard let kind, let lastKept else { return 0 }
        let total = kind.steps.current
        return total > lastKept + 1 ? total - lastKept - 1 : 0
    }

    /// Keeps fewer steps if they are large.
    mutating func measure(_ step: AppStep) {
        guard steps.total % Self.sampling == 0 else { return }
        let size = step.after.value.json.utf8.count + step.payload.value.json.utf8.count
        steps.limit(to: max(16, min(Self.mostSteps, Self.mostBytes / max(1, size))))
    }

    /// The loop is observed again, from a step on.
    ///
    /// Steps that were not seen count as those of the origin that was seen last. Runs that were not seen are counted with
    /// the next one of their feedback. Of instances, such runs are not counted, and those that had begun count as ended.
    ///
    /// - Parameter sawAll: whether all was seen, and only not kept.
    /// - Returns: how many steps were not kept since the last one that was.
    mutating func resume(at step: UInt64, _ present: [EffectRun], sawAll: Bool = false) -> UInt64 {
        budget.resume()
        let missed = lastKept.map { step > $0 ? step - $0 : 0 } ?? 0
        lastKept = max(step, lastKept ?? 0)
        guard !sawAll else { return missed }
        if let last, step > last.step {
            events[last.origin].handled += Int(clamping: step - last.step)
            self.last?.step = step
        }
        for index in runCounters.indices {
            runCounters[index].resume(live: Set(present.lazy.filter { $0.index == index }.map(\.number)))
        }
        instanceRuns.forget()
        return missed
    }
}
