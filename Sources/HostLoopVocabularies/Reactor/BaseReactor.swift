public import HostLoop
public import HostLoopFlow

/// A reactor to subclass: it has the core and starts in `init`, so the transforms have run when that returns.
///
/// A subclass overrides what it needs and states `@unchecked Sendable`: what it adds must be safe from any
/// thread.
// Safe because the core is immutable and safe from any thread.
open class BaseReactor<Action: Sendable, Mutation: Sendable, State: Sendable>: Reactor, @unchecked Sendable {
    /// What makes the reactor run.
    public let core: ReactorCore<Action, Mutation, State>

    /// Makes a reactor and starts it. A subclass has to have set its own properties before.
    /// - Parameter clock: What asynchronous mutations take their time from.
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
