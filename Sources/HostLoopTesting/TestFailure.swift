#if canImport(XCTest)
    import XCTest
#endif
import Testing

/// A place in the source code of a test.
public struct TestLocation: Sendable {
    /// The module and the name of the file: `#fileID`.
    public var fileID: StaticString
    /// The path of the file: `#filePath`.
    public var filePath: StaticString
    /// The line, from 1.
    public var line: UInt
    /// The column, from 1.
    public var column: UInt

    /// Makes a place.
    public init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
    }
}

/// A failed expectation of a test.
public struct TestFailure: Sendable {
    /// Reports a failure to the test framework.
    public typealias Report = @Sendable (TestFailure) -> Void

    /// The failed expectation, then the details; may have several lines.
    public var message: String
    /// The place of the expectation.
    public var location: TestLocation

    /// Makes a failure.
    public init(message: String, location: TestLocation) {
        self.message = message
        self.location = location
    }

    /// Reports the failure to the framework that runs the test; the default report.
    ///
    /// In a test of Swift Testing it is an issue. In a test of XCTest it is a failure, as of `XCTFail`. Where no test
    /// runs, it ends the process with the message.
    public static let record: Report = { failure in
        if Test.current == nil {
            #if canImport(XCTest)
                if failure.isRecordedByXCTest() { return }
            #endif
            guard isSwiftTestingProcess else {
                fatalError(
                    "no test runs that could record this failure: \(failure.message)",
                    file: failure.location.filePath, line: failure.location.line)
            }
        }
        failure.recordIssue()
    }

    private func recordIssue() {
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(
                fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: Int(location.line),
                column: Int(location.column)))
    }

    /// A thread that the running test has started does not know the test. Swift Testing counts its issues for the whole
    /// run.
    private static var isSwiftTestingProcess: Bool { CommandLine.arguments.contains("swift-testing") }
}

#if canImport(XCTest)
    extension TestFailure {
        /// Fails the running test case. Returns false when no test case runs: XCTest ignores the failure then.
        fileprivate func isRecordedByXCTest() -> Bool {
            let observer = FailureObserver()
            XCTestObservationCenter.shared.addTestObserver(observer)
            defer { XCTestObservationCenter.shared.removeTestObserver(observer) }
            XCTFail(message, file: location.filePath, line: location.line)
            return observer.hasSeenFailure
        }
    }

    /// Sees whether a test case takes a failure.
    private final class FailureObserver: NSObject, XCTestObservation {
        private(set) var hasSeenFailure = false

        #if canImport(Darwin)
            func testCase(_ testCase: XCTestCase, didRecord issue: XCTIssue) { hasSeenFailure = true }
        #else
            func testCase(
                _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
                atLine lineNumber: Int
            ) {
                hasSeenFailure = true
            }
        #endif
    }
#endif
