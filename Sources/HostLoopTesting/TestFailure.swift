public import Testing

/// A failed expectation of a test.
public struct TestFailure: Sendable {
    /// Reports a failure to the test framework.
    public typealias Report = @Sendable (TestFailure) -> Void

    /// The failed expectation, then the details; may have several lines.
    public var message: String
    /// The source location of the expectation.
    public var sourceLocation: SourceLocation

    /// Makes a failure.
    public init(message: String, sourceLocation: SourceLocation) {
        self.message = message
        self.sourceLocation = sourceLocation
    }

    /// Records the failure as an issue of the running Swift Testing test; the default report.
    ///
    /// An XCTest test passes its own closure instead, which calls `XCTFail` or `recordFailure`. It must
    /// import `Testing` too, for the source locations.
    public static let record: Report = { failure in
        Issue.record(Comment(rawValue: failure.message), sourceLocation: failure.sourceLocation)
    }
}
