public import HostLoop

/// A loop that a test runs step by step, with assertions about its steps.
///
/// The loop runs on `LoopExecutor.caller` with a `ManualClock`, so all synchronous work is done when `send`
/// returns. The test asserts the steps in order. `send` asserts the step of the event that it sends.
/// `receive` asserts the step of the next event from an effect or another source. `finish` asserts that no
/// event is unasserted, no effect runs, and no fault is unexpected.
///
/// ```swift
/// let test = TestLoop(spin)
/// test.send(.load) { $0.isLoading = true }
/// await test.receive(.loaded([1, 2])) {
///     $0.isLoading = false
///     $0.items = [1, 2]
/// }
/// await test.finish()
/// ```
///
/// `receive`, `expectFault` and `finish` have an asynchronous and a synchronous form. The asynchronous form
/// waits, without polling, for effects on other executors. The wait ends when the event or fault comes, when
/// the loop cannot do anything more, or at the time limit. The synchronous form never waits.
///
/// Any thread may use a test loop, but only one function at a time. A feedback that names its own executor
/// keeps it.
public final class TestLoop<State: Sendable, Event: Sendable>: Sendable {
    /// The loop under test, for its emitter, counters and state. Its state may be newer than the last
    /// asserted state.
    public let loop: Loop<State, Event>
    /// The clock of the loop.
    public let clock: ManualClock

    let record: TestRecord<State, Event>
    let isEqual: @Sendable (State, State) -> Bool
    let limit: TimeLimit
    let report: TestFailure.Report
    private let start: TestLocation
    private let storage: Lock<Storage>

    private struct Storage: Sendable {
        var state: State
        var exhaustivity: Exhaustivity
        var isFinished = false
    }

    /// Starts a loop of `spin`. The synchronous effects of the initial state have run when this returns.
    /// - Parameters:
    ///   - isEqual: Returns whether two states are equal.
    ///   - exhaustivity: How much the test must assert.
    ///   - clock: The clock of the loop, instead of the spin's clock.
    ///   - limit: The longest wait, in real time. It is a last resort, for effects that neither emit nor end.
    ///   - observers: Further observers of the loop.
    ///   - report: Receives the failures; by default `TestFailure.record`.
    public convenience init(
        _ spin: Spin<State, Event>, isEqual: @escaping @Sendable (State, State) -> Bool,
        exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.init(
            spin, isEqual: isEqual, exhaustivity: exhaustivity, clock: clock, timeLimit: TimeLimit(limit),
            observers: observers, report: report, location: TestLocation(fileID, filePath, line, column))
    }

    /// Starts a loop of `spin`, with a time limit on any clock.
    package init(
        _ spin: Spin<State, Event>, isEqual: @escaping @Sendable (State, State) -> Bool,
        exhaustivity: Exhaustivity, clock: ManualClock, timeLimit: TimeLimit,
        observers: [any LoopObserver<State, Event>], report: @escaping TestFailure.Report,
        location: TestLocation
    ) {
        let record = TestRecord<State, Event>()
        self.record = record
        self.clock = clock
        self.isEqual = isEqual
        self.report = report
        limit = timeLimit
        start = location
        storage = Lock(Storage(state: spin.initialState, exhaustivity: exhaustivity))
        loop = spin.on(executor: .caller, clock: clock).start(observers: [record] + observers)
    }

    /// Reports an exhaustive test that did not call `finish`, because its unasserted steps would be ignored.
    deinit {
        guard exhaustivity == .on, !storage.withLock({ $0.isFinished }) else { return }
        fail("a test loop was released before `finish()`", at: start)
    }

    /// How much the test must assert from now on.
    public var exhaustivity: Exhaustivity {
        get { storage.withLock { $0.exhaustivity } }
        set { storage.withLock { $0.exhaustivity = newValue } }
    }

    /// The state after the last event that was asserted or skipped.
    public internal(set) var state: State {
        get { storage.withLock { $0.state } }
        set {
            let before = storage.withLock { storage in
                defer { storage.state = newValue }
                return storage.state
            }
            withExtendedLifetime(before) {}
        }
    }

    func markFinished() {
        storage.withLock { $0.isFinished = true }
    }

    func fail(_ message: String, at location: TestLocation) {
        report(TestFailure(message: message, location: location))
    }
}

extension TestLoop where State: Equatable {
    /// Starts a loop of `spin`. The synchronous effects of the initial state have run when this returns.
    /// - Parameters:
    ///   - exhaustivity: How much the test must assert.
    ///   - clock: The clock of the loop, instead of the spin's clock.
    ///   - limit: The longest wait, in real time. It is a last resort, for effects that neither emit nor end.
    ///   - observers: Further observers of the loop.
    ///   - report: Receives the failures; by default `TestFailure.record`.
    public convenience init(
        _ spin: Spin<State, Event>, exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.init(
            spin, isEqual: { $0 == $1 }, exhaustivity: exhaustivity, clock: clock, limit: limit,
            observers: observers, report: report, fileID: fileID, filePath: filePath, line: line,
            column: column)
    }
}
