public import HostLoop
public import HostLoopFlow

/// A feature as a feedback loop whose states and events are types: an initial state, feedbacks, transitions.
///
///     let system = System {
///         InitialState { Volume(value: 10) }
///         Feedbacks {
///             Feedback(on: Volume.self, strategy: .continueOnNewState) { state -> Flow<any Event> in
///                 state.value < 15 ? .just(Increase()) : .none
///             }
///         }
///         Transitions {
///             From(Volume.self) { state in
///                 On(Increase.self, transitionTo: Volume(value: state.value + 1))
///             }
///         }
///     }
///     system.run()
///
/// A system is a description until it runs. Its modifiers change it and answer itself; a loop is made of the
/// parts as they are when it starts, so what is attached later is not part of it.
///
/// It runs where the transitions say, else where the system says, else on `LoopExecutor.pool`. Every feedback
/// sees the initial state before the first transition; nothing recurses, and states come in order (the
/// original's did only on a serial queue).
// Safe because subclasses, which are ours, add immutable properties and locks only.
public class System: @unchecked Sendable {
    private struct Book: Sendable {
        var feedbacks: Feedbacks
        var transitions: Transitions
        var executor: LoopExecutor?
        var loop: Loop<any State, any Event>?
    }

    /// The state that each loop begins with.
    public let initialState: InitialState
    /// What time is taken from.
    public let clock: any LoopClock
    /// How many events wait for their turn in a loop at most, and what becomes of one too many.
    public let mailbox: MailboxCapacity
    private let book: Lock<Book>

    /// Makes a system of its three parts.
    /// - Parameters:
    ///   - clock: What time is taken from.
    ///   - mailbox: How many events wait for their turn in a loop at most, and what becomes of one too many.
    public init(
        initialState: InitialState, feedbacks: Feedbacks, transitions: Transitions,
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded
    ) {
        self.initialState = initialState
        self.clock = clock
        self.mailbox = mailbox
        book = Lock(Book(feedbacks: feedbacks, transitions: transitions))
    }

    /// Makes a system of its three parts, in this order: `InitialState`, `Feedbacks`, `Transitions`.
    /// - Parameters:
    ///   - clock: What time is taken from.
    ///   - mailbox: How many events wait for their turn in a loop at most, and what becomes of one too many.
    public convenience init(
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded,
        @SystemBuilder _ components: () -> System
    ) {
        let system = components()
        self.init(
            initialState: system.initialState, feedbacks: system.feedbacks, transitions: system.transitions,
            clock: clock, mailbox: mailbox)
    }

    /// The feedbacks, with what was attached so far.
    public var feedbacks: Feedbacks { book.withLock { $0.feedbacks } }

    /// The transitions.
    public var transitions: Transitions { book.withLock { $0.transitions } }

    /// The system as it is now, as the description of a loop.
    public var spin: Spin<any State, any Event> {
        let (feedbacks, transitions, executor) = book.withLock { ($0.feedbacks, $0.transitions, $0.executor) }
        // A feedback runs where the loop does, unless the system's executor is not that one.
        let elsewhere = transitions.executor == nil ? nil : executor
        return Spin(
            initialState: initialState.value, reducer: transitions.reducer,
            feedbacks: viewFeedbacks() + (elsewhere.map { feedbacks.execute(on: $0) } ?? feedbacks).feedbacks
                + [transitions.delays],
            mailbox: mailbox, executor: transitions.executor ?? executor ?? .pool, clock: clock)
    }

    /// The states: each subscription owns a loop of its own, which is made of the system as it is now, and
    /// sees every state, the initial one first. It ends with the subscription.
    public var stream: Flow<any State> { spin.stream }

    /// Starts a loop that lasts until this system is released or `stop` is called.
    ///
    /// While it runs, a second call does nothing; in the original it started another loop beside it.
    @discardableResult
    public func run() -> Self {
        // Known before it runs, so that its own effects may emit into it.
        let loop = spin.makeLoop()
        let starts = book.withLock { book in
            guard book.loop == nil else { return false }
            book.loop = loop
            return true
        }
        if starts { loop.begin() }
        return self
    }

    /// Stops the loop that `run` started: its effects are cancelled, and it takes no more events.
    public func stop() {
        let loop = book.withLock { book in
            defer { book.loop = nil }
            return book.loop
        }
        loop?.stop()
    }

    /// The loop that `run` started.
    var loop: Loop<any State, any Event>? { book.withLock { $0.loop } }

    /// Puts the system on an executor: the loop, unless its transitions have one, and the feedbacks that have
    /// none, also those attached later. Of several calls the first wins, as what is further in does.
    @discardableResult
    public func execute(on executor: LoopExecutor) -> Self {
        book.withLock { $0.executor = $0.executor ?? executor }
        return self
    }

    /// What a view of the system needs.
    func viewFeedbacks() -> [Feedback<any State, any Event>] { [] }

    /// Adds a feedback after the others.
    func add(_ feedback: Feedback<any State, any Event>) {
        book.withLock { $0.feedbacks = $0.feedbacks.adding(feedback) }
    }

    /// The executor that was chosen for the system.
    var executor: LoopExecutor? { book.withLock { $0.executor } }
}

extension System {
    /// Draws what is known of the transitions, from the initial state on; see
    /// `TransitionTable.diagram(as:initialState:)`. `spin` draws the feedbacks.
    public func diagram(as format: DiagramFormat) -> String {
        transitions.diagram(as: format, initialState: type(of: initialState.value))
    }
}
