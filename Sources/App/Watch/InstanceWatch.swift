import HostLoop
import Manifest
import Records

/// Tells the watch of a loop with a key what one of its instances does.
final class InstanceWatch: LoopObserver {
    private let key: LoopKey
    private let kind: LoopWatch

    init(_ key: LoopKey, of kind: LoopWatch) { (self.key, self.kind) = (key, kind) }

    var seesSteps: Bool { kind.seesSteps }
    func stepped(_ step: LoopStep<Record, AppEvent>) { kind.stepped(step, of: key) }
    func unhandled(_ event: AppEvent, from origin: EventOrigin) {
        kind.unhandled(event, from: origin, of: key)
    }
    func effectStarted(_ run: EffectRun, by event: AppEvent?) {
        kind.effectStarted(run, by: event, of: key)
    }
    func effectEnded(_ run: EffectRun) { kind.effectEnded(run, of: key) }
    func effectCancelled(_ run: EffectRun) { kind.effectCancelled(run, of: key) }
    func faulted(_ fault: LoopFault) { kind.faulted(fault, of: key) }
    func late(_ event: AppEvent, from run: EffectRun) { kind.late(event, from: run, of: key) }
    func withdrawn(_ event: AppEvent, from run: EffectRun) { kind.withdrawn(event, from: run, of: key) }
}

/// Numbers the runs of a feedback over all instances of a loop with a key, which each number their own.
///
/// The number of a run without a key is its own.
struct InstanceRuns {
    private struct Name: Hashable {
        let key: LoopKey
        let feedback: Int
        let number: UInt64
    }

    /// Runs that have not ended.
    private var open: [Name: UInt64] = [:]
    /// By feedback.
    private var last: [Int: UInt64] = [:]

    private static func name(_ run: EffectRun, _ key: LoopKey) -> Name {
        Name(key: key, feedback: run.index, number: run.number)
    }

    /// The number of a run that begins.
    mutating func begin(_ run: EffectRun, of key: LoopKey?) -> UInt64 {
        guard let key else { return run.number }
        let number = last[run.index, default: 0] + 1
        (last[run.index], open[Self.name(run, key)]) = (number, number)
        return number
    }

    /// The number of a run that has not ended; nil for a run whose begin was not seen.
    func number(of run: EffectRun, of key: LoopKey?) -> UInt64? {
        guard let key else { return run.number }
        return open[Self.name(run, key)]
    }

    /// The number of a run that ends; nil as in `number`.
    mutating func end(_ run: EffectRun, of key: LoopKey?) -> UInt64? {
        guard let key else { return run.number }
        return open.removeValue(forKey: Self.name(run, key))
    }

    /// The ends of the runs will not be seen.
    mutating func forget() { open = [:] }
}
