public import HostLoop
public import HostLoopVocabularies
public import Testing

/// States and events that are types, as in `Transitions` and `System`: `TestLoop(system.spin)`.
extension TestLoop where State == any HostLoopVocabularies.State, Event == any HostLoopVocabularies.Event {
    /// Starts a loop of `spin`; two states are the same if they are of one type and equal by `==`, or, without
    /// that, in all their parts.
    /// - Parameters:
    ///   - exhaustivity: How much has to be asserted.
    ///   - clock: Takes the place of the spin's clock.
    ///   - limit: How long, in real time, a wait lasts at most; a last resort, for effects that neither emit
    ///     nor end.
    ///   - observers: Told everything, too.
    ///   - report: Takes the failures; an issue of Swift Testing by default.
    public convenience init(
        _ spin: Spin<State, Event>, exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.init(
            spin, isEqual: { StateDifference($0, $1).lines.isEmpty }, exhaustivity: exhaustivity,
            clock: clock, limit: limit, observers: observers, report: report, sourceLocation: sourceLocation)
    }

    /// Asserts that the next event taken is of type `type`, and the state after its step; waits for it.
    public nonisolated(nonsending) func receive<EventType: HostLoopVocabularies.Event>(
        _ type: EventType.Type, newState: State, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let title = "receive(\(type).self)"
        guard let entry = await wait(for: { $0.event is EventType }, title, sourceLocation) else { return }
        assert(entry, title, sourceLocation) { $0 = newState }
    }

    /// Asserts that the next event taken is of type `type`, and the state after its step; does not wait.
    public func receive<EventType: HostLoopVocabularies.Event>(
        _ type: EventType.Type, newState: State, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let title = "receive(\(type).self)"
        guard let entry = look(for: { $0.event is EventType }, title, sourceLocation) else { return }
        assert(entry, title, sourceLocation) { $0 = newState }
    }
}
