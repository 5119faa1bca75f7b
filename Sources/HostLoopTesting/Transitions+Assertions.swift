import HostLoop
public import HostLoopVocabularies

extension Transitions {
    /// Asserts that `event` leads from `state` to `expected`, without a loop.
    ///
    /// Two states are equal if they have the same type and are equal by `==`. States without `==`, which the
    /// original does not accept, are compared part by part.
    /// - Parameter report: Receives the failure; by default `TestFailure.record`.
    public func assertThat(
        from state: any State, on event: any Event, newStateIs expected: any State,
        report: TestFailure.Report = TestFailure.record, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        check(
            from: state, on: event, expected: expected, isHandled: true, report,
            TestLocation(fileID, filePath, line, column))
    }

    /// Asserts that `event` does not change `state`, without a loop: the event is not handled, or leads to an
    /// equal state.
    ///
    /// A loop distinguishes the two: a handled event passes a new state to the feedbacks, even if it is equal
    /// to the old state. In the original, every event did.
    /// - Parameter report: Receives the failure; by default `TestFailure.record`.
    public func assertThatStateIsUnchanged(
        from state: any State, on event: any Event, report: TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        check(
            from: state, on: event, expected: state, isHandled: false, report,
            TestLocation(fileID, filePath, line, column))
    }

    private func check(
        from state: any State, on event: any Event, expected: any State, isHandled: Bool,
        _ report: TestFailure.Report, _ location: TestLocation
    ) {
        let title = "\(ValueText.of(event)) in \(ValueText.of(state)): "
        guard let next = transition(from: state, on: event) else {
            guard isHandled else { return }
            return report(
                TestFailure(message: title + "it was not handled", location: location))
        }
        let difference = StateDifference(expected, next)
        guard !difference.lines.isEmpty else { return }
        let message = title + "the new state is not the expected one (- expected, + actual)\n\(difference)"
        report(TestFailure(message: message, location: location))
    }
}
