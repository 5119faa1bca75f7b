import HostLoop

extension TestLoop where Event: Equatable {
    /// Waits for the next event and asserts that it is `event`, and the state change of its step.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public nonisolated(nonsending) func receive(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        _ change: (inout State) -> Void = { _ in }
    ) async {
        let title = "receive(\(ValueText.of(event)))"
        guard
            let entry = await wait(
                for: { $0.event == event }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assert(entry, title, TestLocation(fileID, filePath, line, column), change)
    }

    /// Asserts that the next event is `event`, and the state change of its step; does not wait.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public func receive(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let title = "receive(\(ValueText.of(event)))"
        guard
            let entry = find(for: { $0.event == event }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assert(entry, title, TestLocation(fileID, filePath, line, column), change)
    }

    /// Waits for the next event and asserts that it is `event`, and the state after its step.
    public nonisolated(nonsending) func receive(
        _ event: Event, newState: State, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async {
        await receive(event, fileID: fileID, filePath: filePath, line: line, column: column) { $0 = newState }
    }

    /// Asserts that the next event is `event`, and the state after its step; does not wait.
    public func receive(
        _ event: Event, newState: State, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        receive(event, fileID: fileID, filePath: filePath, line: line, column: column) { $0 = newState }
    }

    /// Waits for the next event and asserts that it is `event`, and that the reducer did not handle it.
    public nonisolated(nonsending) func receiveUnhandled(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async {
        let title = "receiveUnhandled(\(ValueText.of(event)))"
        guard
            let entry = await wait(
                for: { $0.event == event }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assertUnhandled(entry, title, TestLocation(fileID, filePath, line, column))
    }

    /// Asserts that the next event is `event`, and that the reducer did not handle it; does not wait.
    public func receiveUnhandled(
        _ event: Event, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let title = "receiveUnhandled(\(ValueText.of(event)))"
        guard
            let entry = find(for: { $0.event == event }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assertUnhandled(entry, title, TestLocation(fileID, filePath, line, column))
    }
}

extension TestLoop {
    /// Waits for the next event and asserts that it passes `matches`, and the state change of its step.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public nonisolated(nonsending) func receive(
        where matches: (Event) -> Bool, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        _ change: (inout State) -> Void = { _ in }
    ) async {
        let title = "receive(where:)"
        guard
            let entry = await wait(
                for: { $0.event.map { matches($0) } ?? false }, title,
                TestLocation(fileID, filePath, line, column))
        else { return }
        assert(entry, title, TestLocation(fileID, filePath, line, column), change)
    }

    /// Asserts that the next event passes `matches`, and the state change of its step; does not wait.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public func receive(
        where matches: (Event) -> Bool, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let title = "receive(where:)"
        guard
            let entry = find(
                for: { $0.event.map { matches($0) } ?? false }, title,
                TestLocation(fileID, filePath, line, column))
        else {
            return
        }
        assert(entry, title, TestLocation(fileID, filePath, line, column), change)
    }

    // MARK: - Finding an event

    func find(
        for matches: (TestLog<State, Event>.Entry) -> Bool, _ title: String, _ location: TestLocation
    ) -> TestLog<State, Event>.Entry? {
        switch next(where: matches) {
        case .found(let entry, let passed):
            reportPassed(passed, title, location)
            return entry
        case .none(let log):
            reportMissing(log, title, isOverdue: false, location)
            return nil
        }
    }

    nonisolated(nonsending) func wait(
        for matches: (TestLog<State, Event>.Entry) -> Bool, _ title: String, _ location: TestLocation
    ) async -> TestLog<State, Event>.Entry? {
        while true {
            switch next(where: matches) {
            case .found(let entry, let passed):
                reportPassed(passed, title, location)
                return entry
            case .none(let log):
                let count = log.entries.count
                // An unexpected event is already a failure, unless the test may skip events.
                if log.isOver || (count > 0 && exhaustivity == .on) {
                    reportMissing(log, title, isOverdue: false, location)
                    return nil
                }
                guard await waitUntil({ $0.isOver || $0.entries.count > count }) else {
                    reportMissing(record.log, title, isOverdue: true, location)
                    return nil
                }
            }
        }
    }
}
