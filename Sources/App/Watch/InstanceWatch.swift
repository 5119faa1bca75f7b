import HostLoop
import Manifest
import Records

/// Tells the watch of a loop with a key what one of its instances does, except its faults: the kind tells these.
///
/// The instance has it only while the watch is open.
final class InstanceWatch: LoopObserver {
    private let instance: WatchedInstance
    private let kind: LoopWatch

    init(_ instance: WatchedInstance, of kind: LoopWatch) { (self.instance, self.kind) = (instance, kind) }

    func stepped(_ step: LoopStep<Record, AppEvent>) { kind.stepped(step, of: instance) }
    func unhandled(_ event: AppEvent, from origin: EventOrigin) {
        kind.unhandled(event, from: origin, of: instance)
    }
    func effectStarted(_ run: EffectRun, by event: AppEvent?) {
        kind.effectStarted(run, by: event, of: instance)
    }
    func effectEnded(_ run: EffectRun) { kind.effectEnded(run, of: instance) }
    func effectCancelled(_ run: EffectRun) { kind.effectCancelled(run, of: instance) }
    func late(_ event: AppEvent, from run: EffectRun) { kind.late(event, from: run, of: instance) }
    func withdrawn(_ event: AppEvent, from run: EffectRun) { kind.withdrawn(event, from: run, of: instance) }
}

/// An instance of a loop with a key. A key that has begun again has another number.
struct WatchedInstance {
    let key: LoopKey
    let number: UInt64
}

/// Numbers the runs of a feedback over all instances of a loop with a key, which each number their own.
///
/// Without an instance, the number of a run stays as it is.
struct InstanceRuns {
    private struct Name: Hashable {
        let instance: UInt64
        let feedback: Int
        let number: UInt64
    }

    /// Runs that have not ended.
    private var open: [Name: UInt64] = [:]
    /// By feedback.
    private var last: [Int: UInt64] = [:]

    private static func name(_ run: EffectRun, _ instance: WatchedInstance) -> Name {
        Name(instance: instance.number, feedback: run.index, number: run.number)
    }

    /// The number of a run that begins.
    mutating func begin(_ run: EffectRun, of instance: WatchedInstance?) -> UInt64 {
        guard let instance else { return run.number }
        let number = last[run.index, default: 0] + 1
        (last[run.index], open[Self.name(run, instance)]) = (number, number)
        return number
    }

    /// The number of a run that has not ended; nil for a run whose begin was not seen.
    func number(of run: EffectRun, of instance: WatchedInstance?) -> UInt64? {
        guard let instance else { return run.number }
        return open[Self.name(run, instance)]
    }

    /// The number of a run that ends; nil as in `number`.
    mutating func end(_ run: EffectRun, of instance: WatchedInstance?) -> UInt64? {
        guard let instance else { return run.number }
        return open.removeValue(forKey: Self.name(run, instance))
    }

    /// The ends of the runs will not be seen.
    mutating func forget() { open = [:] }
}
