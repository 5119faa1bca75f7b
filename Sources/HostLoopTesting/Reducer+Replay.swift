public import HostLoop
public import Testing

extension Reducer where State: Equatable {
    /// Asserts that this reducer makes of the recorded events what was recorded, without a loop.
    /// - Parameter report: Takes the failure; an issue of Swift Testing by default.
    public func assertReplays(
        _ recording: Recording<State, Event>, report: TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
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
        report(TestFailure(message: message, sourceLocation: sourceLocation))
    }
}

extension Reducer where State: Equatable & Codable, Event: Codable {
    /// Asserts that this reducer makes of a recorded run what was recorded: a run that went as it should,
    /// written with `Recording.write(toFile:)`, is a test from then on.
    /// - Parameters:
    ///   - path: Of the file.
    ///   - report: Takes the failure; an issue of Swift Testing by default.
    /// - Throws: what reading the file or decoding throws.
    public func assertReplays(
        fileAt path: String, report: TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let recording = try Recording<State, Event>(contentsOfFile: path)
        assertReplays(recording, report: report, sourceLocation: sourceLocation)
    }
}
