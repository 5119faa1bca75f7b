public import HostLoop

extension TestLoop {
    /// Waits for the end of the running effects, asserts that nothing is unasserted, and stops the loop.
    ///
    /// An unasserted event, an effect that still runs, or an unexpected fault is a failure. With
    /// `Exhaustivity.off` only a fault is a failure, and the function does not wait.
    public nonisolated(nonsending) func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) async {
        if exhaustivity == .on { _ = await waitUntil { $0.isAtRest } }
        close(TestLocation(fileID, filePath, line, column))
    }

    /// Asserts that nothing is unasserted, and stops the loop; does not wait for effects.
    ///
    /// An unasserted event, an effect that still runs, or an unexpected fault is a failure. With
    /// `Exhaustivity.off` only a fault is a failure.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        close(TestLocation(fileID, filePath, line, column))
    }

    /// Waits for a fault outside the reducer and asserts that it comes.
    /// - Parameter matches: Selects one of the faults that were not expected yet; by default the first.
    public nonisolated(nonsending) func expectFault(
        where matches: (LoopFault) -> Bool = { _ in true }, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async {
        while true {
            if removeFault(where: matches) { return }
            let log = record.log
            let count = log.faults.count
            let came = await log.isOver ? false : waitUntil { $0.isOver || $0.faults.count > count }
            if !came { return reportNoFault(TestLocation(fileID, filePath, line, column)) }
        }
    }

    /// Asserts that a fault has occurred outside the reducer; does not wait.
    /// - Parameter matches: Selects one of the faults that were not expected yet; by default the first.
    public func expectFault(
        where matches: (LoopFault) -> Bool = { _ in true }, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        if !removeFault(where: matches) { reportNoFault(TestLocation(fileID, filePath, line, column)) }
    }

    /// Skips the events that the loop has taken so far: the test need not assert them.
    public func skipEvents() {
        skip(over: record.log.entries)
    }

    /// Allows the effects that run now to continue after the end of the test.
    public func skipEffects() {
        record.excuseRunning()
    }

    private func removeFault(where matches: (LoopFault) -> Bool) -> Bool {
        guard let index = record.log.faults.firstIndex(where: matches) else { return false }
        record.removeFault(index)
        return true
    }

    private func reportNoFault(_ location: TestLocation) {
        let log = record.log
        let faults = log.faults.map { text(of: $0) }
        let what = faults.isEmpty ? "there was none" : "others came\n  " + faults.joined(separator: "\n  ")
        fail("expectFault(): \(what)" + (faults.isEmpty ? runningText(log) : ""), at: location)
    }

    private func close(_ location: TestLocation) {
        markFinished()
        let log = record.log
        loop.stop()
        if exhaustivity == .on {
            if !log.entries.isEmpty {
                let text = lines(of: log.entries).joined(separator: "\n")
                fail("finish(): \(events(log.entries.count)) not asserted\n\(text)", at: location)
            }
            if !log.unfinished.isEmpty {
                let text = log.unfinished.map { self.text(of: $0) }.joined(separator: "\n  ")
                let count = log.unfinished.count
                fail(
                    "finish(): \(count == 1 ? "an effect still runs" : "\(count) effects still run")\n  "
                        + text, at: location)
            }
        }
        if !log.faults.isEmpty {
            let text = log.faults.map { self.text(of: $0) }.joined(separator: "\n  ")
            fail(
                "finish(): \(log.faults.count == 1 ? "a fault" : "\(log.faults.count) faults") not expected\n  "
                    + text, at: location)
        }
    }
}
