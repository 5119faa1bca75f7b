public import HostLoop
public import HostLoopFlow

/// A feedback loop whose states and events are types: an initial state, feedbacks and transitions.
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
/// A system is a description until it runs. Its modifiers change it and return it. A loop is made of the
/// parts at its start. Parts that are attached later are not in it.
///
/// The loop runs on the executor of the transitions. If they have none, it runs on that of the system, or on
/// `LoopExecutor.pool`. Every feedback sees the initial state before the first transition. Nothing recurses,
/// and states come in order. In the original they do so only on a serial queue.
// Safe because the subclasses, which this module alone defines, add only immutable properties and locks.
public class System: @unchecked Sendable {
    private struct Parts: Sendable {
        var feedbacks: Feedbacks
        var transitions: Transitions
        var executor: LoopExecutor?
        var loop: Loop<any State, any Event>?
    }

    /// The first state of each loop.
    public let initialState: InitialState
    /// The clock of the loops.
    public let clock: any LoopClock
    /// The capacity of a loop's mailbox, and its overflow rule.
    public let mailbox: MailboxCapacity
    private let parts: Lock<Parts>

    /// Makes a system of its three parts.
    /// - Parameters:
    ///   - clock: The clock of the loops.
    ///   - mailbox: The capacity of a loop's mailbox, and its overflow rule.
    public init(
        initialState: InitialState, feedbacks: Feedbacks, transitions: Transitions,
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded
    ) {
        self.initialState = initialState
        self.clock = clock
        self.mailbox = mailbox
        parts = Lock(Parts(feedbacks: feedbacks, transitions: transitions))
    }

    /// Makes a system of its three parts, in this order: `InitialState`, `Feedbacks`, `Transitions`.
    /// - Parameters:
    ///   - clock: The clock of the loops.
    ///   - mailbox: The capacity of a loop's mailbox, and its overflow rule.
    public convenience init(
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded,
        @SystemBuilder _ components: () -> System
    ) {
        let system = components()
        self.init(
            initialState: system.initialState, feedbacks: system.feedbacks, transitions: system.transitions,
            clock: clock, mailbox: mailbox)
    }

    /// The feedbacks, including those attached so far.
    public var feedbacks: Feedbacks { parts.withLock { $0.feedbacks } }

    /// The transitions.
    public var transitions: Transitions { parts.withLock { $0.transitions } }

    /// The description of a loop with the parts that the system has now.
    public var spin: Spin<any State, any Event> {
        let (feedbacks, transitions, executor) = parts.withLock {
            ($0.feedbacks, $0.transitions, $0.executor)
        }
        // A feedback runs where the loop does, unless the system's executor is not that one.
        let elsewhere = transitions.executor == nil ? nil : executor
        return Spin(
            initialState: initialState.value, reducer: transitions.reducer,
            feedbacks: viewFeedbacks() + (elsewhere.map { feedbacks.execute(on: $0) } ?? feedbacks).feedbacks
                + [transitions.delays],
            mailbox: mailbox, executor: transitions.executor ?? executor ?? .pool, clock: clock)
    }

    /// The states of a loop with the parts that the system has now. Each subscription starts and owns a loop
    /// of its own, and gets every state, the initial one first. Events that `UISystem.emit` queues do not
    /// reach it. The states of the running system are those of `loop`.
    public var stream: Flow<any State> { spin.stream }

    /// Starts a loop that runs until this system is released or `stop` is called.
    ///
    /// A second call does nothing while the loop runs. In the original it starts another loop.
    @discardableResult
    public func run() -> Self {
        // The loop is known before it begins, so that its own effects may emit into it.
        let loop = spin.makeLoop()
        let starts = parts.withLock { parts in
            guard parts.loop == nil else { return false }
            parts.loop = loop
            return true
        }
        if starts { loop.begin() }
        return self
    }

    /// Stops the loop that `run` started: cancels its effects and refuses further events.
    public func stop() {
        let loop = parts.withLock { parts in
            defer { parts.loop = nil }
            return parts.loop
        }
        loop?.stop()
    }

    /// The same as `execute(on:)` and `run()`, by its name in Feedbacks.
    @discardableResult
    public func run(subscribeOn executor: LoopExecutor) -> Self {
        execute(on: executor).run()
    }

    /// The loop that `run` started, until `stop`: its `stream` has the states of the running system, from the
    /// subscription on. Who keeps the loop keeps it running.
    public var loop: Loop<any State, any Event>? { parts.withLock { $0.loop } }

    /// Sets the executor of the loop, unless the transitions have one, and of the feedbacks that have none,
    /// including those attached later. Of several calls the first wins: it is the innermost.
    @discardableResult
    public func execute(on executor: LoopExecutor) -> Self {
        parts.withLock { $0.executor = $0.executor ?? executor }
        return self
    }

    /// The feedbacks of a view of the system.
    func viewFeedbacks() -> [Feedback<any State, any Event>] { [] }

    /// Adds a feedback after the others.
    func add(_ feedback: Feedback<any State, any Event>) {
        parts.withLock { $0.feedbacks = $0.feedbacks.adding(feedback) }
    }

    /// The executor of the system.
    var executor: LoopExecutor? { parts.withLock { $0.executor } }
}

extension System {
    /// A view state of Feedbacks. `ViewState` alone is the one of Sobreiro.
    public typealias ViewState = State & Equatable & CanBeUndefined

    /// Draws the known transitions, from the initial state on; see
    /// `TransitionTable.diagram(as:initialState:)`. `spin` draws the feedbacks.
    public func diagram(as format: DiagramFormat) -> String {
        transitions.diagram(as: format, initialState: type(of: initialState.value))
    }
}
