public import HostLoopVocabularies
public import Testing

extension Transitions {
    /// Asserts that `event` leads from `state` to `expected`, without a loop.
    ///
    /// Two states are the same if they are of one type and equal by `==`; a state without `==`, which the
    /// original does not take, is compared part by part.
    /// - Parameter report: Takes the failure; an issue of Swift Testing by default.
    public func assertThat(
        from state: any State, on event: any Event, newStateIs expected: any State,
        report: TestFailure.Report = TestFailure.record, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(from: state, on: event, expected: expected, isHandled: true, report, sourceLocation)
    }

    /// Asserts that `event` leaves `state` as it is, without a loop: it is not handled, or leads to an equal
    /// state.
    ///
    /// For a loop these are not the same: an event that is handled gives a new state to the feedbacks, be it
    /// equal or not. In the original every event did.
    /// - Parameter report: Takes the failure; an issue of Swift Testing by default.
    public func assertThatStateIsUnchanged(
        from state: any State, on event: any Event, report: TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(from: state, on: event, expected: state, isHandled: false, report, sourceLocation)
    }

    private func check(
        from state: any State, on event: any Event, expected: any State, isHandled: Bool,
        _ report: TestFailure.Report, _ sourceLocation: SourceLocation
    ) {
        let title = "\(ValueText.of(event)) in \(ValueText.of(state)): "
        guard let next = transition(from: state, on: event) else {
            guard isHandled else { return }
            return report(
                TestFailure(message: title + "it was not handled", sourceLocation: sourceLocation))
        }
        let difference = StateDifference(expected, next)
        guard !difference.lines.isEmpty else { return }
        let message = title + "the new state is not the expected one (- expected, + actual)\n\(difference)"
        report(TestFailure(message: message, sourceLocation: sourceLocation))
    }
}
