import HostLoop

/// Where the runs of one feedback report faults that do not end a run, and emissions that nothing receives. Used
/// from any thread.
final class RunReporter: Sendable {
    typealias Report = @Sendable (RunFault) -> Void

    private let drops: DropCount
    private let report: Report
    private let newest: Lock<Newest<RunReporter>>

    init(drops: DropCount, _ report: @escaping Report) {
        (self.drops, self.report) = (drops, report)
        newest = Lock(Newest())
        newest.withLock { $0.object = self }
    }

    /// A run had a fault, and continues.
    func faulted(_ fault: RunFault) { newest.withLock { $0 }.object?.report(fault) }

    /// A run emitted something that the manifest does not mention.
    func dropped() { drops.count() }

    /// Another loop has succeeded this one: it gets the faults of the runs.
    func forward(to other: RunReporter) {
        let newest = newest.withLock { $0 }
        newest.object = other
        other.newest.withLock { $0 = newest }
    }
}
