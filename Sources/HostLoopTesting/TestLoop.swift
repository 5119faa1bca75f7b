public import HostLoop
public import Testing

/// Runs a spin step by step in a test, and asserts what it does.
///
/// The loop runs on `LoopExecutor.caller` and takes its time from a `ManualClock`, so that everything
/// synchronous has happened when `send` returns. What has happened is then asserted in order: `send` asserts
/// the step of the event it sends, `receive` the next one that an effect (or somebody else) has emitted, and
/// `finish` that nothing is left: no event unasserted, no effect running, no fault.
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
/// `receive`, `expectFault` and `finish` exist twice. In asynchronous functions they wait, without polling,
/// for what effects on other executors still do: until it comes, or nothing can come any more, or the limit
/// is over. In synchronous functions they look at what has happened and never wait.
///
/// A test loop may be used from any thread, by one function at a time. Feedbacks that name an executor of
/// their own keep it.
public final class TestLoop<State: Sendable, Event: Sendable>: Sendable {
    /// The loop that runs; for its emitter, its counters, and its state, which may be ahead of what was
    /// asserted.
    public let loop: Loop<State, Event>
    /// The clock of the loop.
    public let clock: ManualClock

    let record: TestRecord<State, Event>
    let isEqual: @Sendable (State, State) -> Bool
    let limit: TimeLimit
    let report: TestFailure.Report
    private let start: SourceLocation
    private let book: Lock<Book>

    private struct Book: Sendable {
        var state: State
        var exhaustivity: Exhaustivity
        var isFinished = false
    }

    /// Starts a loop of `spin`; what feedbacks do on the initial state has happened when this returns, as far
    /// as it is synchronous.
    /// - Parameters:
    ///   - isEqual: Whether two states are the same.
    ///   - exhaustivity: How much has to be asserted.
    ///   - clock: Takes the place of the spin's clock.
    ///   - limit: How long, in real time, a wait lasts at most; a last resort, for effects that neither emit
    ///     nor end.
    ///   - observers: Told everything, too.
    ///   - report: Takes the failures; an issue of Swift Testing by default.
    public convenience init(
        _ spin: Spin<State, Event>, isEqual: @escaping @Sendable (State, State) -> Bool,
        exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.init(
            spin, isEqual: isEqual, exhaustivity: exhaustivity, clock: clock, timeLimit: TimeLimit(limit),
            observers: observers, report: report, sourceLocation: sourceLocation)
    }

    /// The same, with a limit by any clock.
    package init(
        _ spin: Spin<State, Event>, isEqual: @escaping @Sendable (State, State) -> Bool,
        exhaustivity: Exhaustivity, clock: ManualClock, timeLimit: TimeLimit,
        observers: [any LoopObserver<State, Event>], report: @escaping TestFailure.Report,
        sourceLocation: SourceLocation
    ) {
        let record = TestRecord<State, Event>()
        self.record = record
        self.clock = clock
        self.isEqual = isEqual
        self.report = report
        limit = timeLimit
        start = sourceLocation
        book = Lock(Book(state: spin.initialState, exhaustivity: exhaustivity))
        loop = spin.on(executor: .caller, clock: clock).start(observers: [record] + observers)
    }

    /// Reports that an exhaustive test was not finished: what it left unasserted would go unnoticed.
    deinit {
        guard exhaustivity == .on, !book.withLock({ $0.isFinished }) else { return }
        fail("a test loop was released before `finish()`", at: start)
    }

    /// How much has to be asserted from now on.
    public var exhaustivity: Exhaustivity {
        get { book.withLock { $0.exhaustivity } }
        set { book.withLock { $0.exhaustivity = newValue } }
    }

    /// The state after the last event that was asserted or skipped.
    public internal(set) var state: State {
        get { book.withLock { $0.state } }
        set {
            let before = book.withLock { book in
                defer { book.state = newValue }
                return book.state
            }
            withExtendedLifetime(before) {}
        }
    }

    func markFinished() {
        book.withLock { $0.isFinished = true }
    }

    func fail(_ message: String, at sourceLocation: SourceLocation) {
        report(TestFailure(message: message, sourceLocation: sourceLocation))
    }
}

extension TestLoop where State: Equatable {
    /// Starts a loop of `spin`; what feedbacks do on the initial state has happened when this returns, as far
    /// as it is synchronous.
    /// - Parameters:
    ///   - exhaustivity: How much has to be asserted.
    ///   - clock: Takes the place of the spin's clock.
    ///   - limit: How long, in real time, a wait lasts at most; a last resort, for effects that neither emit
    ///     nor end.
    ///   - observers: Told everything, too.
    ///   - report: Takes the failures; an issue of Swift Testing by default.
    public convenience init(
        _ spin: Spin<State, Event>, exhaustivity: Exhaustivity = .on, clock: ManualClock = ManualClock(),
        limit: Duration = .seconds(30), observers: [any LoopObserver<State, Event>] = [],
        report: @escaping TestFailure.Report = TestFailure.record,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.init(
            spin, isEqual: { $0 == $1 }, exhaustivity: exhaustivity, clock: clock, limit: limit,
            observers: observers, report: report, sourceLocation: sourceLocation)
    }
}
