public import HostLoop
public import Testing

extension Reducer where State: Equatable {
    /// Asserts that `event` changes `state` to `expected`, without a loop.
    /// - Parameter report: Receives the failure; by default it records an issue of Swift Testing.
    public func assertThat(
        from state: State, on event: Event, newStateIs expected: State,
        report: TestFailure.Report = TestFailure.record, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let title = "\(ValueText.of(event)) in \(ValueText.of(state))"
        let outcome = outcome(of: event, in: state)
        if case .newState(let next) = outcome {
            guard next != expected else { return }
            let message = "\(title): the new state is not the expected one (- expected, + actual)\n"
            report(
                TestFailure(
                    message: message + "\(StateDifference(expected, next))", sourceLocation: sourceLocation))
        } else {
            report(TestFailure(message: "\(title): \(outcome.text)", sourceLocation: sourceLocation))
        }
    }
}

extension Reducer {
    /// Asserts that `event` is not handled in `state`, without a loop.
    /// - Parameter report: Receives the failure; by default it records an issue of Swift Testing.
    public func assertUnhandled(
        from state: State, on event: Event, report: TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let outcome = outcome(of: event, in: state)
        if case .unhandled = outcome { return }
        let message = "\(ValueText.of(event)) in \(ValueText.of(state)): \(outcome.text)"
        report(TestFailure(message: message, sourceLocation: sourceLocation))
    }
}

extension ReducerOutcome {
    /// The outcome, as the end of a sentence.
    var text: String {
        switch self {
        case .newState(let state): "it was handled, with the new state \(ValueText.of(state))"
        case .unhandled: "it was not handled"
        case .failed(let error): "the reducer failed: \(ValueText.of(error))"
        }
    }
}
