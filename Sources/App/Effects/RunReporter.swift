import HostLoop
import Records

/// Where the runs of one feedback report their calls, faults that do not end a run, and emissions that nothing receives.
/// Used from any thread.
final class RunReporter: Sendable {
    /// With the state that the run began in.
    typealias Report = @Sendable (RunFault, Record) -> Void

    private let drops: DropCount
    private let report: Report
    private weak let watch: LoopWatch?
    /// The feedback's index in the engine's order.
    private let index: Int
    private let newest: Lock<Newest<RunReporter>>

    /// - Parameters:
    ///   - watch: who watches the loop; nil if the app has no port.
    ///   - index: the feedback's index in the engine's order.
    init(drops: DropCount, watch: LoopWatch? = nil, index: Int = 0, _ report: @escaping Report) {
        (self.drops, self.report, self.watch, self.index) = (drops, report, watch, index)
        newest = Lock(Newest())
        newest.withLock { $0.object = self }
    }

    /// A run calls its effect.
    func called(_ run: UInt64, with arguments: @autoclosure () -> Record) {
        watch?.called(index, run, with: arguments)
    }

    /// A run that began in a state had a fault, and continues.
    func faulted(_ fault: RunFault, in state: Record) { newest.withLock { $0 }.object?.report(fault, state) }

    /// A run emitted something that the manifest does not mention.
    func dropped() { drops.count() }

    /// Another loop has succeeded this one: it gets the faults of the runs.
    func forward(to other: RunReporter) {
        let newest = newest.withLock { $0 }
        newest.object = other
        other.newest.withLock { $0 = newest }
    }
}
