public import Testing

/// Something that a test expected and that did not come true.
public struct TestFailure: Sendable {
    /// Takes failures to whoever runs the test.
    public typealias Report = @Sendable (TestFailure) -> Void

    /// What failed, over several lines: the expectation, then the details.
    public var message: String
    /// Where the test expected it.
    public var sourceLocation: SourceLocation

    /// Makes a failure.
    public init(message: String, sourceLocation: SourceLocation) {
        self.message = message
        self.sourceLocation = sourceLocation
    }

    /// Records the failure as an issue of the running test of Swift Testing: where failures go unless a test
    /// says otherwise.
    ///
    /// A test of XCTest gives the functions of this module a closure instead, which calls `XCTFail` or
    /// `recordFailure`; it imports `Testing` too, for the source locations.
    public static let record: Report = { failure in
        Issue.record(Comment(rawValue: failure.message), sourceLocation: failure.sourceLocation)
    }
}
