public import Diagnostics
public import Records

/// What came of a test of the manifest.
public struct TestOutcome: Sendable {
    /// What happened to an event, in order.
    public enum Entry: Sendable {
        /// It made a step.
        case step(AppStep)
        /// The reducer does not handle it, or ignores it; its name and its fields.
        case unhandled(String, Record)
        /// The step, or something else, failed.
        case fault(AppFault)
    }

    /// A field that is not as expected.
    public struct Difference: Sendable {
        /// The field, by the names that lead to it with dots between.
        public let path: String
        /// What the test names.
        public let expected: Value
        /// What the state has; nil when it has no such field in the case that it is in.
        public let found: Value?
        /// Where the expectation stands.
        public let span: SourceSpan
    }

    /// The state before the first event.
    public let given: Record
    /// What happened.
    public let entries: [Entry]
    /// The fields that are not as expected, in the test's order.
    public let differences: [Difference]
    /// The number of events that came after `until` had held, when nobody took them any more.
    public let eventsAfterEnd: Int
    /// True when the feedbacks went on and on, so that the test was given up after `mostSteps`.
    public let isEndless: Bool

    /// How many steps a test may take after its own events until it rests.
    public static let mostSteps = TestLoop.mostSteps

    /// Whether everything is as expected, no fault occurred, every event was taken and the loop came to rest.
    public var isPassed: Bool {
        differences.isEmpty && eventsAfterEnd == 0 && !isEndless
            && !entries.contains { if case .fault = $0 { true } else { false } }
    }
}
