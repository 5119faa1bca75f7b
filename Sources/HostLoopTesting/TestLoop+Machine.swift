public import HostLoop
public import HostLoopVocabularies

/// Test loops whose states and events are types, as in `Transitions` and `System`: `TestLoop(system.spin)`.
extension TestLoop where State == any HostLoopVocabularies.State, Event == any HostLoopVocabularies.Event {
    /// Starts a loop of `spin`. Two states are equal if they have the same type and are equal by `==`. States
    /// without `==` are equal if all their parts are equal.
    /// - Parameters:
    ///   - exhaustivity: How much the test must assert.
    ///   - clock: The clock of the loop, instead of the spin's clock.
    ///   - limit: The longest wait, in real time. It is a last resort, for effects that neither emit nor end.
    ///   - observers: Further observers of the loop.
    ///   - report: Receives the failures; by default `TestFailure.record`.
    public convenience init(
        _ spin: Spin<State, Event>, exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.init(
            spin, isEqual: { StateDifference($0, $1).lines.isEmpty }, exhaustivity: exhaustivity,
            clock: clock, limit: limit, observers: observers, report: report,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Waits for the next event and asserts that it has the type `type`, and the state after its step.
    public nonisolated(nonsending) func receive<EventType: HostLoopVocabularies.Event>(
        _ type: EventType.Type, newState: State, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async {
        let title = "receive(\(type).self)"
        guard
            let entry = await wait(
                for: { $0.event is EventType }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assert(entry, title, TestLocation(fileID, filePath, line, column)) { $0 = newState }
    }

    /// Asserts that the next event has the type `type`, and the state after its step; does not wait.
    public func receive<EventType: HostLoopVocabularies.Event>(
        _ type: EventType.Type, newState: State, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let title = "receive(\(type).self)"
        guard
            let entry = find(
                for: { $0.event is EventType }, title, TestLocation(fileID, filePath, line, column))
        else { return }
        assert(entry, title, TestLocation(fileID, filePath, line, column)) { $0 = newState }
    }
}
