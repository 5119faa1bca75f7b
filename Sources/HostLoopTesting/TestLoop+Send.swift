import Dispatch
import HostLoop

extension TestLoop {
    /// Sends an event and asserts the state change of its step.
    ///
    /// If another thread is running the loop, the caller waits until that thread has done the step.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public func send(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let title = "send(\(ValueText.of(event)))"
        guard let entry = entry(of: event, title, TestLocation(fileID, filePath, line, column)) else {
            return
        }
        assert(entry, title, TestLocation(fileID, filePath, line, column), change)
    }

    /// Sends an event and asserts the state after its step.
    public func send(
        _ event: Event, newState: State, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        send(event, fileID: fileID, filePath: filePath, line: line, column: column) { $0 = newState }
    }

    /// Sends an event and asserts that the reducer does not handle it.
    public func sendUnhandled(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let title = "sendUnhandled(\(ValueText.of(event)))"
        guard let entry = entry(of: event, title, TestLocation(fileID, filePath, line, column)) else {
            return
        }
        assertUnhandled(entry, title, TestLocation(fileID, filePath, line, column))
    }

    /// Sends an event and asserts that the reducer throws a matching error.
    /// - Parameter matches: Returns whether the error is the expected one; any error by default.
    public func sendFailing(
        _ event: Event, with matches: (any Error) -> Bool = { _ in true },
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let title = "sendFailing(\(ValueText.of(event)))"
        guard let entry = entry(of: event, title, TestLocation(fileID, filePath, line, column)) else {
            return
        }
        guard case .failed(let fault) = entry else {
            return fail("\(title): \(outcome(entry))", at: TestLocation(fileID, filePath, line, column))
        }
        if !matches(fault.error) {
            fail(
                "\(title): \(outcome(entry)), which is not the expected error",
                at: TestLocation(fileID, filePath, line, column))
        }
    }

    /// Emits the event and removes the entry of its outcome from the log.
    private func entry(
        of event: Event, _ title: String, _ location: TestLocation
    ) -> TestLog<State, Event>.Entry? {
        let before = record.log.entries
        if !before.isEmpty {
            if exhaustivity == .on {
                let text = lines(of: before).joined(separator: "\n")
                fail("\(title): \(events(before.count)) before it not asserted\n\(text)", at: location)
            }
            skip(over: before)
        }
        let result = loop.emit(event)
        guard result == .queued else {
            fail("\(title): the loop did not take it: \(ValueText.of(result))", at: location)
            return nil
        }
        let came = DispatchSemaphore(value: 0)
        record.whenMet({ $0.stopped != nil || $0.entries.contains(where: \.isFromOutside) }, limit: limit) {
            came.signal()
        }
        came.wait()
        switch next(where: \.isFromOutside) {
        case .found(let entry, let passed):
            reportPassed(passed, title, location)
            return entry
        case .none(let log):
            let reason = log.stopped == nil ? "not taken within \(limit.duration)" : "the loop has stopped"
            fail("\(title): \(reason)" + runningText(log), at: location)
            return nil
        }
    }
}
