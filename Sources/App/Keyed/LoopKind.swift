import HostLoop
import Manifest
import Records

/// The instances of a loop with a key. May be used from any thread.
///
/// All instances run on one serial executor and share what `LoopAssembly` prepares. The loop that the app has at the
/// kind's place makes no steps: it receives the messages of gears, on the same executor, and passes them on.
final class LoopKind: Sendable {
    typealias Instances = KeyedLoops<LoopKey, Record, AppEvent>

    let instances: Instances
    /// Counts the steps of all instances.
    private let steps: StepCount
    private let counts: Counts
    /// Counts messages that made no event, as their instance did not take it.
    let lost = DropCount()
    let activity: KeyedActivity
    /// On which all instances run, and the loop that receives messages for them.
    let executor: LoopExecutor

    init(
        _ instances: Instances, on executor: LoopExecutor, activity: KeyedActivity, steps: StepCount,
        counts: Counts
    ) {
        (self.instances, self.executor, self.activity) = (instances, executor, activity)
        (self.steps, self.counts) = (steps, counts)
    }

    /// What instances count together. They refer to it, and not to the kind.
    struct Counts: Sendable {
        /// Events that no instance handled.
        let unhandled = DropCount()
        let faults = DropCount()
    }

    /// The counters of all instances together. What is rare counts when an instance has ended: to ask each instance
    /// would take too long with many of them.
    var counters: LoopCounters {
        var counters = instances.pastTotals
        (counters.steps, counters.unhandled) = (steps.current, UInt64(counts.unhandled.total))
        counters.faults = UInt64(counts.faults.total)
        return counters
    }

    /// Continues the counts of another kind. The instances continue their own.
    func inheritCounts(of other: LoopKind) {
        counts.unhandled.count(other.counts.unhandled.total)
        counts.faults.count(other.counts.faults.total)
        lost.count(other.lost.total)
    }

    /// Queues an event for the instance of a key, which it may make.
    func emit(_ event: AppEvent, to key: LoopKey) -> KeyedEmitResult { instances.emit(event, to: key) }

    /// Queues an event that a message has made, and counts it if no instance takes it.
    func take(_ event: AppEvent, for key: LoopKey) {
        switch emit(event, to: key) {
        // An instance counts what its full mailbox refuses.
        case .queued, .full: break
        case .absent, .limit, .cancelled, .stopped: lost.count()
        }
    }

    /// Whether nothing can happen by itself in any instance.
    var isQuiet: Bool { activity.isQuiet }
}
