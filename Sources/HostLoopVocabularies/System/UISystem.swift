public import HostLoop
public import HostLoopFlow
public import Observation

/// A system with a user interface: it publishes the states of a view, and takes the events of users.
///
/// `withObservationTracking` tracks `state`, and `states` is a flow. A view is any object. Unlike the
/// original, nothing hops to the main thread unless `publish(on: .main)` says so.
// Safe because it adds only locks and immutable properties.
public final class UISystem<PublishedState: State>: System, Observable, @unchecked Sendable {
    let shown: CurrentValueMediator<PublishedState>
    private let make: @Sendable (any State) -> PublishedState
    /// The executor of `make`; nil is the loop's own.
    private let factory: LoopExecutor?
    /// Whether the second of two states need not be published.
    private let isSame: @Sendable (PublishedState, PublishedState) -> Bool
    /// The initial state was published, and no other state since.
    private let isFresh: Lock<Bool>
    private let publisher = Lock<LoopExecutor?>(nil)
    private let registrar = ObservationRegistrar()

    /// Makes a system that publishes its states as they are, the initial one at once.
    public convenience init(
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded,
        @SystemBuilder _ components: () -> System
    ) where PublishedState == RawState {
        self.init(system: System(clock: clock, mailbox: mailbox, components))
    }

    /// Makes a system that publishes the states of another one, the initial one at once.
    ///
    /// It has the parts that `system` has now, and a loop of its own.
    public convenience init(system: System) where PublishedState == RawState {
        self.init(
            system, showing: RawState(state: system.initialState.value), isInitial: true,
            isSame: { _, _ in false }, make: { RawState(state: $0) })
    }

    /// Makes a system that publishes the results of `viewStateFactory` for its states.
    /// - Parameters:
    ///   - viewStateFactory: Called with every state. A view state that equals the one before is not
    ///     published.
    ///   - executor: The executor of `viewStateFactory`; nil is the loop's own. See `publish(on:)`.
    public convenience init(
        viewStateFactory: @escaping @Sendable (any State) -> PublishedState, on executor: LoopExecutor? = nil,
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded,
        @SystemBuilder _ components: () -> System
    ) where PublishedState: Equatable & CanBeUndefined {
        self.init(
            system: System(clock: clock, mailbox: mailbox, components), viewStateFactory: viewStateFactory,
            on: executor)
    }

    /// Makes a system that publishes the results of `viewStateFactory` for the states of another one.
    ///
    /// It has the parts that `system` has now, and a loop of its own.
    /// - Parameters:
    ///   - viewStateFactory: Called with every state. A view state that equals the one before is not
    ///     published.
    ///   - executor: The executor of `viewStateFactory`; nil is the loop's own. See `publish(on:)`.
    public convenience init(
        system: System, viewStateFactory: @escaping @Sendable (any State) -> PublishedState,
        on executor: LoopExecutor? = nil
    ) where PublishedState: Equatable & CanBeUndefined {
        self.init(
            system, showing: .undefined, isInitial: false, isSame: { $0 == $1 }, on: executor,
            make: viewStateFactory)
    }

    private init(
        _ system: System, showing state: PublishedState, isInitial: Bool,
        isSame: @escaping @Sendable (PublishedState, PublishedState) -> Bool, on factory: LoopExecutor? = nil,
        make: @escaping @Sendable (any State) -> PublishedState
    ) {
        shown = CurrentValueMediator(state)
        isFresh = Lock(isInitial)
        self.isSame = isSame
        self.factory = factory
        self.make = make
        super.init(
            initialState: system.initialState, feedbacks: system.feedbacks, transitions: system.transitions,
            clock: system.clock, mailbox: system.mailbox)
        if let executor = system.executor { execute(on: executor) }
    }

    // MARK: - States

    /// The published state, from any thread; `Observation` tracks reads.
    public var state: PublishedState {
        registrar.access(self, keyPath: \.state)
        return shown.value
    }

    /// The published states: the current one first, then each later one, in order, without a gap. The flow
    /// does not keep the system running, and never completes.
    public var states: Flow<PublishedState> { shown.flow }

    /// Sets the executor on which states are published: `.main` for views that must be used there. By default
    /// it is the one that made them. In the original it is the main thread.
    @discardableResult
    public func publish(on executor: LoopExecutor) -> Self {
        publisher.withLock { $0 = executor }
        return self
    }

    /// The feedback that shows states.
    override func viewFeedbacks() -> [Feedback<any State, any Event>] {
        let queue = publisher.withLock { $0 }.map { executor in
            ExecutorQueue<PublishedState>(on: executor) { [weak self] in self?.publish($0) }
        }
        let feedback = Feedback<any State, any Event>.always("view") { [weak self, make] state, _ in
            let next = make(state)
            if let queue { queue.add(next) } else { self?.publish(next) }
        }
        return [factory.map { feedback.execute(on: $0) } ?? feedback]
    }

    private func publish(_ next: PublishedState) {
        guard !isFresh.exchange(false), !isSame(shown.value, next) else { return }
        registrar.withMutation(of: self, keyPath: \.state) { shown.send(next) }
    }

    // MARK: - Events

    /// Queues a user's event in the loop that `run` started, from any thread; never waits. It calls the
    /// functions of `Feedbacks.onEventEmitted` first.
    /// - Returns: `.queued`, or `.stopped` when the system does not run. Then the event is lost.
    @discardableResult
    public func emit(_ event: any Event) -> EmitResult {
        guard let loop else { return .stopped }
        for tap in feedbacks.taps { tap(event) }
        return loop.emit(event)
    }
}

extension System {
    /// A system with the current parts of this one, which publishes its states as they are.
    public func uiSystem() -> UISystem<RawState> {
        UISystem(system: self)
    }

    /// A system with the current parts of this one, which publishes the results of `viewStateFactory` for its
    /// states. A view state that equals the one before is not published.
    /// - Parameter executor: The executor of `viewStateFactory`; nil is the loop's own. See
    ///   `UISystem.publish(on:)`.
    public func uiSystem<ViewState: State & Equatable & CanBeUndefined>(
        viewStateFactory: @escaping @Sendable (any State) -> ViewState, on executor: LoopExecutor? = nil
    ) -> UISystem<ViewState> {
        UISystem(system: self, viewStateFactory: viewStateFactory, on: executor)
    }
}

/// The published state of a `UISystem` without a view state: the system's state itself.
public struct RawState: State {
    /// The state.
    public let state: any State

    /// Wraps a state.
    public init(state: any State) {
        self.state = state
    }
}

/// A view state with a value for the time before the first real one.
public protocol CanBeUndefined {
    /// The value before the system runs.
    static var undefined: Self { get }
}
