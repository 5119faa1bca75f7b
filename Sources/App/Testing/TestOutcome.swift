public import Diagnostics
public import Records

/// The outcome of a test of the manifest.
public struct TestOutcome: Sendable {
    /// The fate of an event, in order.
    public enum Entry: Sendable {
        /// It made a step.
        case step(AppStep)
        /// The reducer does not handle it, or ignores it; its name and its fields.
        case unhandled(String, Record)
        /// A step, a run or a condition failed.
        case fault(AppFault)
    }

    /// A field with another value than expected.
    public struct Difference: Sendable {
        /// The field, by the names that lead to it with dots between.
        public let path: String
        /// The value that the test names.
        public let expected: Value
        /// The value in the state; nil when the state has no such field in its case.
        public let found: Value?
        /// The place of the expectation in the manifest.
        public let span: SourceSpan
    }

    /// The state before the first event.
    public let given: Record
    /// The entries in the order of the events.
    public let entries: [Entry]
    /// The fields that are not as expected, in the test's order.
    public let differences: [Difference]
    /// The number of events that came after `until` had held, and were not taken.
    public let eventsAfterEnd: Int
    /// True when the feedbacks did not come to rest, so that the test was given up after `mostSteps`.
    public let isEndless: Bool

    /// The steps that a test may take after its own events until it rests.
    public static let mostSteps = TestLoop.mostSteps

    /// Whether every field is as expected, no fault occurred, every event was taken and the loop came to
    /// rest.
    public var isPassed: Bool {
        differences.isEmpty && eventsAfterEnd == 0 && !isEndless
            && !entries.contains { if case .fault = $0 { true } else { false } }
    }
}
