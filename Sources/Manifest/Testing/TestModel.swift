public import Diagnostics
public import Records

/// A test of a loop's reducer, and perhaps of its feedbacks: one entry of `[[tests]]`.
public struct TestModel: Sendable {
    /// An event that the test sends.
    public struct Event: Sendable {
        /// The event's index in `LoopModel.events`.
        public let index: Int
        /// Its fields.
        public let payload: Record

        /// An event with its fields.
        public init(index: Int, payload: Record) { (self.index, self.payload) = (index, payload) }
    }

    /// The expected value of a field of the last state.
    public struct Expectation: Sendable {
        /// The path of the field in the state.
        public let path: [String]
        /// The expected value, as the state stores it.
        public let value: Value
        /// The span of the value.
        public let span: SourceSpan

        /// A field at `path` that must be `value`.
        public init(path: [String], value: Value, span: SourceSpan) {
            (self.path, self.value, self.span) = (path, value, span)
        }
    }

    /// Its name, for people.
    public let name: String
    /// The loop that it tests, as an index into `Manifest.loops`.
    public let loop: Int
    /// The state before the first event.
    public let given: Record
    /// The events, in order.
    public let events: [Event]
    /// The test doubles of the feedbacks that run, in their order in the manifest. Without any, only the
    /// reducer is tested.
    public let doubles: [TestDoubleModel]
    /// The fields to compare with the state after the last event. Other fields are not compared.
    public let expectations: [Expectation]
    /// The test's first line.
    public let span: SourceSpan

    /// A test that begins at `span`.
    public init(
        name: String, loop: Int, given: Record, events: [Event], doubles: [TestDoubleModel],
        expectations: [Expectation], span: SourceSpan
    ) {
        (self.name, self.loop, self.given, self.events) = (name, loop, given, events)
        (self.doubles, self.expectations, self.span) = (doubles, expectations, span)
    }
}
