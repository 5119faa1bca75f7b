public import Testing

extension TestLoop where Event: Equatable {
    /// Waits for the next event and asserts that it is `event`, and the state change of its step.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public nonisolated(nonsending) func receive(
        _ event: Event, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) -> Void = { _ in }
    ) async {
        let title = "receive(\(ValueText.of(event)))"
        guard let entry = await wait(for: { $0.event == event }, title, sourceLocation) else { return }
        assert(entry, title, sourceLocation, change)
    }

    /// Asserts that the next event is `event`, and the state change of its step; does not wait.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public func receive(
        _ event: Event, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let title = "receive(\(ValueText.of(event)))"
        guard let entry = find(for: { $0.event == event }, title, sourceLocation) else { return }
        assert(entry, title, sourceLocation, change)
    }

    /// Waits for the next event and asserts that it is `event`, and the state after its step.
    public nonisolated(nonsending) func receive(
        _ event: Event, newState: State, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await receive(event, sourceLocation: sourceLocation) { $0 = newState }
    }

    /// Asserts that the next event is `event`, and the state after its step; does not wait.
    public func receive(_ event: Event, newState: State, sourceLocation: SourceLocation = #_sourceLocation) {
        receive(event, sourceLocation: sourceLocation) { $0 = newState }
    }

    /// Waits for the next event and asserts that it is `event`, and that the reducer did not handle it.
    public nonisolated(nonsending) func receiveUnhandled(
        _ event: Event, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let title = "receiveUnhandled(\(ValueText.of(event)))"
        guard let entry = await wait(for: { $0.event == event }, title, sourceLocation) else { return }
        assertUnhandled(entry, title, sourceLocation)
    }

    /// Asserts that the next event is `event`, and that the reducer did not handle it; does not wait.
    public func receiveUnhandled(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) {
        let title = "receiveUnhandled(\(ValueText.of(event)))"
        guard let entry = find(for: { $0.event == event }, title, sourceLocation) else { return }
        assertUnhandled(entry, title, sourceLocation)
    }
}

extension TestLoop {
    /// Waits for the next event and asserts that it passes `matches`, and the state change of its step.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public nonisolated(nonsending) func receive(
        where matches: (Event) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) -> Void = { _ in }
    ) async {
        let title = "receive(where:)"
        guard
            let entry = await wait(
                for: { $0.event.map { matches($0) } ?? false }, title, sourceLocation)
        else { return }
        assert(entry, title, sourceLocation, change)
    }

    /// Asserts that the next event passes `matches`, and the state change of its step; does not wait.
    /// - Parameter change: Turns the state before the step into the expected state; no change by default.
    ///   With `Exhaustivity.off` it gets the state after the step, and must not change it.
    public func receive(
        where matches: (Event) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let title = "receive(where:)"
        guard let entry = find(for: { $0.event.map { matches($0) } ?? false }, title, sourceLocation) else {
            return
        }
        assert(entry, title, sourceLocation, change)
    }

    // MARK: - Finding an event

    func find(
        for matches: (TestLog<State, Event>.Entry) -> Bool, _ title: String, _ sourceLocation: SourceLocation
    ) -> TestLog<State, Event>.Entry? {
        switch next(where: matches) {
        case .found(let entry, let passed):
            reportPassed(passed, title, sourceLocation)
            return entry
        case .none(let log):
            reportMissing(log, title, isOverdue: false, sourceLocation)
            return nil
        }
    }

    nonisolated(nonsending) func wait(
        for matches: (TestLog<State, Event>.Entry) -> Bool, _ title: String, _ sourceLocation: SourceLocation
    ) async -> TestLog<State, Event>.Entry? {
        while true {
            switch next(where: matches) {
            case .found(let entry, let passed):
                reportPassed(passed, title, sourceLocation)
                return entry
            case .none(let log):
                let count = log.entries.count
                // An unexpected event is already a failure, unless the test may skip events.
                if log.isOver || (count > 0 && exhaustivity == .on) {
                    reportMissing(log, title, isOverdue: false, sourceLocation)
                    return nil
                }
                guard await waitUntil({ $0.isOver || $0.entries.count > count }) else {
                    reportMissing(record.log, title, isOverdue: true, sourceLocation)
                    return nil
                }
            }
        }
    }
}
