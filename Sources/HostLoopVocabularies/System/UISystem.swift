public import HostLoop
public import HostLoopFlow
public import Observation

/// A system that publishes what a view shows, and takes the user's events.
///
/// `state` can be observed (`withObservationTracking`) and followed (`states`). Views are any object; unlike
/// the original, nothing hops to the main thread unless `publish(on: .main)` says so.
// Safe because it adds locks and immutable properties only.
public final class UISystem<PublishedState: State>: System, Observable, @unchecked Sendable {
    let shown: CurrentValueMediator<PublishedState>
    private let make: @Sendable (any State) -> PublishedState
    /// Whether the second of two need not be published.
    private let isSame: @Sendable (PublishedState, PublishedState) -> Bool
    /// The initial state was published already, and no other since.
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

    /// Makes a system that publishes what `viewStateFactory` makes of its states.
    /// - Parameters:
    ///   - viewStateFactory: Called with every state; a view state equal to the one before is not published
    ///     again.
    ///   - executor: Where that happens; see `publish(on:)`.
    public convenience init(
        viewStateFactory: @escaping @Sendable (any State) -> PublishedState, on executor: LoopExecutor? = nil,
        clock: any LoopClock = ContinuousLoopClock(), mailbox: MailboxCapacity = .unbounded,
        @SystemBuilder _ components: () -> System
    ) where PublishedState: Equatable & CanBeUndefined {
        self.init(
            system: System(clock: clock, mailbox: mailbox, components), viewStateFactory: viewStateFactory,
            on: executor)
    }

    /// Makes a system that publishes what `viewStateFactory` makes of the states of another one.
    ///
    /// It has the parts that `system` has now, and a loop of its own.
    /// - Parameters:
    ///   - viewStateFactory: Called with every state; a view state equal to the one before is not published
    ///     again.
    ///   - executor: Where that happens; see `publish(on:)`.
    public convenience init(
        system: System, viewStateFactory: @escaping @Sendable (any State) -> PublishedState,
        on executor: LoopExecutor? = nil
    ) where PublishedState: Equatable & CanBeUndefined {
        self.init(
            system, showing: .undefined, isInitial: false, isSame: { $0 == $1 }, make: viewStateFactory)
        if let executor { publish(on: executor) }
    }

    private init(
        _ system: System, showing state: PublishedState, isInitial: Bool,
        isSame: @escaping @Sendable (PublishedState, PublishedState) -> Bool,
        make: @escaping @Sendable (any State) -> PublishedState
    ) {
        shown = CurrentValueMediator(state)
        isFresh = Lock(isInitial)
        self.isSame = isSame
        self.make = make
        super.init(
            initialState: system.initialState, feedbacks: system.feedbacks, transitions: system.transitions,
            clock: system.clock, mailbox: system.mailbox)
        if let executor = system.executor { execute(on: executor) }
    }

    // MARK: - What a view sees

    /// What the view shows; observed through `Observation`, read from any thread.
    public var state: PublishedState {
        registrar.access(self, keyPath: \.state)
        return shown.value
    }

    /// What the view shows: the present first, then each that is published, in order and none left out. It
    /// does not keep the system running, and never completes.
    public var states: Flow<PublishedState> { shown.flow }

    /// Has states mapped and published on an executor: `.main` for views that must be touched there. It is
    /// the loop's own otherwise. (In the original the executor of a view state is that of the mapping, and
    /// publishing hops to the main thread.)
    @discardableResult
    public func publish(on executor: LoopExecutor) -> Self {
        publisher.withLock { $0 = executor }
        return self
    }

    /// The feedback that shows states.
    override func viewFeedbacks() -> [Feedback<any State, any Event>] {
        let feedback = Feedback<any State, any Event>.always("view") { [weak self] state, _ in
            self?.show(state)
        }
        return [publisher.withLock { $0 }.map { feedback.execute(on: $0) } ?? feedback]
    }

    private func show(_ state: any State) {
        guard !isFresh.exchange(false) else { return }
        let next = make(state)
        guard !isSame(shown.value, next) else { return }
        registrar.withMutation(of: self, keyPath: \.state) { shown.send(next) }
    }

    // MARK: - What a view says

    /// Queues a user's event in the loop that `run` started, from any thread; never waits. What
    /// `Feedbacks.onEventEmitted` was given is called first.
    /// - Returns: `.queued`, or `.stopped` when the system does not run: the event is lost then.
    @discardableResult
    public func emit(_ event: any Event) -> EmitResult {
        guard let loop else { return .stopped }
        for tap in feedbacks.taps { tap(event) }
        return loop.emit(event)
    }
}

extension System {
    /// A system with the parts that this one has now, which publishes its states as they are.
    public func uiSystem() -> UISystem<RawState> {
        UISystem(system: self)
    }

    /// A system with the parts that this one has now, which publishes what `viewStateFactory` makes of its
    /// states; a view state equal to the one before is not published again.
    /// - Parameter executor: Where view states are made and published; see `UISystem.publish(on:)`.
    public func uiSystem<ViewState: State & Equatable & CanBeUndefined>(
        viewStateFactory: @escaping @Sendable (any State) -> ViewState, on executor: LoopExecutor? = nil
    ) -> UISystem<ViewState> {
        UISystem(system: self, viewStateFactory: viewStateFactory, on: executor)
    }
}

/// What a `UISystem` without a view state publishes: the system's state itself.
public struct RawState: State {
    /// The state.
    public let state: any State

    /// Wraps a state.
    public init(state: any State) {
        self.state = state
    }
}

/// A view state with a value for the time before the first real one was made.
public protocol CanBeUndefined {
    /// What is shown before the system runs.
    static var undefined: Self { get }
}
