public import HostLoop
public import HostLoopFlow

/// A reactor to subclass. It has the core and starts in `init`: the transforms were called when `init`
/// returns.
///
/// A subclass overrides the functions that it needs. It must declare `@unchecked Sendable`: the properties
/// that it adds must be safe from any thread.
// Safe because the core is immutable and safe from any thread.
open class BaseReactor<Action: Sendable, Mutation: Sendable, State: Sendable>: Reactor, @unchecked Sendable {
    /// The core of the reactor.
    public let core: ReactorCore<Action, Mutation, State>

    /// Makes a reactor and starts it. A subclass must set its own properties before.
    /// - Parameter clock: The clock of asynchronous mutations.
    public init(initialState: State, clock: any LoopClock = ContinuousLoopClock()) {
        core = ReactorCore(initialState: initialState, clock: clock)
        createStateStream()
    }

    /// No mutations, unless overridden: see `Reactor`.
    open func mutate(action: Action) -> Mutations<Mutation> { .none }
    /// The state as it was, unless overridden: see `Reactor`.
    open func reduce(state: State, mutation: Mutation) -> State { state }
    /// The actions as they are, unless overridden: see `Reactor`.
    open func transform(action: Flow<Action>) -> Flow<Action> { action }
    /// The mutations as they are, unless overridden: see `Reactor`.
    open func transform(mutation: Flow<Mutation>) -> Flow<Mutation> { mutation }
    /// The states as they are, unless overridden: see `Reactor`.
    open func transform(state: Flow<State>) -> Flow<State> { state }
    /// Does nothing, unless overridden: see `Reactor`.
    open func failed(with error: any Error) {}
}
