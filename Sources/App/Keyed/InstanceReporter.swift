import HostLoop
import Manifest
import Records

/// Reports the steps of one instance of a loop with a key, with its key.
final class InstanceReporter: LoopObserver {
    private let key: LoopKey
    private let kind: LoopReporter

    init(_ key: LoopKey, of kind: LoopReporter) { (self.key, self.kind) = (key, kind) }

    var seesSteps: Bool { kind.reportsSteps }

    func started(_ state: Record) { kind.began(key, state) }

    func stepped(_ step: LoopStep<Record, AppEvent>) { kind.stepped(step, of: key) }
}
