public import HostLoop
public import Testing

extension TestLoop {
    /// Asserts that nothing is left, once the effects that run have come to their end, and stops the loop.
    ///
    /// Left are events not asserted, effects that still run, and faults. With `Exhaustivity.off` only faults
    /// count, and it does not wait.
    public nonisolated(nonsending) func finish(sourceLocation: SourceLocation = #_sourceLocation) async {
        if exhaustivity == .on { _ = await comes(\.isAtRest) }
        close(sourceLocation)
    }

    /// Asserts that nothing is left, and stops the loop; does not wait for effects.
    ///
    /// Left are events not asserted, effects that still run, and faults. With `Exhaustivity.off` only faults
    /// count.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) {
        close(sourceLocation)
    }

    /// Asserts that something else than the reducer has failed; waits for it.
    /// - Parameter matches: Which of the faults that were not expected yet is meant; the first by default.
    public nonisolated(nonsending) func expectFault(
        where matches: (LoopFault) -> Bool = { _ in true }, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        while true {
            if takeFault(where: matches) { return }
            let log = record.log
            let count = log.faults.count
            let comes = await log.isOver ? false : comes { $0.isOver || $0.faults.count > count }
            if !comes { return reportNoFault(sourceLocation) }
        }
    }

    /// Asserts that something else than the reducer has failed; does not wait.
    /// - Parameter matches: Which of the faults that were not expected yet is meant; the first by default.
    public func expectFault(
        where matches: (LoopFault) -> Bool = { _ in true }, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if !takeFault(where: matches) { reportNoFault(sourceLocation) }
    }

    /// Lets the events that were taken so far go unasserted.
    public func skipEvents() {
        pass(over: record.log.entries)
    }

    /// Lets the effects that run now go on after the end of the test.
    public func skipEffects() {
        record.excuseRunning()
    }

    private func takeFault(where matches: (LoopFault) -> Bool) -> Bool {
        guard let index = record.log.faults.firstIndex(where: matches) else { return false }
        record.takeFault(index)
        return true
    }

    private func reportNoFault(_ sourceLocation: SourceLocation) {
        let log = record.log
        let faults = log.faults.map { text(of: $0) }
        let what = faults.isEmpty ? "there was none" : "others came\n  " + faults.joined(separator: "\n  ")
        fail("expectFault(): \(what)" + (faults.isEmpty ? runningText(log) : ""), at: sourceLocation)
    }

    private func close(_ sourceLocation: SourceLocation) {
        markFinished()
        let log = record.log
        loop.stop()
        if exhaustivity == .on {
            if !log.entries.isEmpty {
                let text = lines(of: log.entries).joined(separator: "\n")
                fail("finish(): \(events(log.entries.count)) not asserted\n\(text)", at: sourceLocation)
            }
            if !log.unfinished.isEmpty {
                let text = log.unfinished.map { self.text(of: $0) }.joined(separator: "\n  ")
                let count = log.unfinished.count
                fail(
                    "finish(): \(count == 1 ? "an effect still runs" : "\(count) effects still run")\n  "
                        + text, at: sourceLocation)
            }
        }
        if !log.faults.isEmpty {
            let text = log.faults.map { self.text(of: $0) }.joined(separator: "\n  ")
            fail(
                "finish(): \(log.faults.count == 1 ? "a fault" : "\(log.faults.count) faults") not expected\n  "
                    + text, at: sourceLocation)
        }
    }
}
