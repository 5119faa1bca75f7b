public import HostLoop

extension Reducer where State: Equatable {
    /// Asserts that `event` changes `state` to `expected`, without a loop.
    /// - Parameter report: Receives the failure; by default `TestFailure.record`.
    public func assertThat(
        from state: State, on event: Event, newStateIs expected: State,
        report: TestFailure.Report = TestFailure.record, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let title = "\(ValueText.of(event)) in \(ValueText.of(state))"
        let outcome = outcome(of: event, in: state)
        if case .newState(let next) = outcome {
            guard next != expected else { return }
            let message = "\(title): the new state is not the expected one (- expected, + actual)\n"
            report(
                TestFailure(
                    message: message + "\(StateDifference(expected, next))",
                    location: TestLocation(fileID, filePath, line, column)))
        } else {
            report(
                TestFailure(
                    message: "\(title): \(outcome.text)",
                    location: TestLocation(fileID, filePath, line, column)))
        }
    }
}

extension Reducer {
    /// Asserts that `event` is not handled in `state`, without a loop.
    /// - Parameter report: Receives the failure; by default `TestFailure.record`.
    public func assertUnhandled(
        from state: State, on event: Event, report: TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let outcome = outcome(of: event, in: state)
        if case .unhandled = outcome { return }
        let message = "\(ValueText.of(event)) in \(ValueText.of(state)): \(outcome.text)"
        report(TestFailure(message: message, location: TestLocation(fileID, filePath, line, column)))
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
