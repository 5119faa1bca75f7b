public import HostLoop

extension Reducer where State: Equatable {
    /// Replays a recording without a loop and asserts that this reducer gives the recorded results.
    /// - Parameter report: Receives the failure; by default `TestFailure.record`.
    public func assertReplays(
        _ recording: Recording<State, Event>, report: TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        guard let difference = recording.replay(with: self) else { return }
        let number = recording.dropped + UInt64(difference.index) + 1
        var message = "entry \(number) of the recording, \(ValueText.of(difference.event)): "
        switch (difference.expected, difference.actual) {
        case (.newState(let recorded), .newState(let actual)):
            message += "the new state is not the recorded one (- recorded, + actual)\n"
            message += StateDifference(recorded, actual).description
        case (_, let actual):
            message += actual.text + "; recorded: " + difference.expected.text
        }
        report(TestFailure(message: message, location: TestLocation(fileID, filePath, line, column)))
    }
}

extension Reducer where State: Equatable & Codable, Event: Codable {
    /// Replays a recording file without a loop and asserts that this reducer gives the recorded results.
    ///
    /// A correct run that `Recording.write(toFile:)` wrote to a file can thus serve as a test.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - report: Receives the failure; by default `TestFailure.record`.
    /// - Throws: the errors of reading or decoding the file.
    public func assertReplays(
        fileAt path: String, report: TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) throws {
        let recording = try Recording<State, Event>(contentsOfFile: path)
        assertReplays(
            recording, report: report, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
