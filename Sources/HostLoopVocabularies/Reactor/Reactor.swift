public import HostLoopFlow
public import Observation

/// A feedback loop in the words of ReactorKit: actions lead to mutations, and mutations to states.
///
/// Adopt it with one stored core, and call `createStateStream()` at the end of the initialiser; or subclass
/// `BaseReactor`, which does both.
///
/// ```swift
/// final class CountingReactor: Reactor {
///     let core = ReactorCore<Action, Mutation, State>(initialState: State())
///     init() { createStateStream() }
///     …
/// }
/// ```
///
/// A reactor may be used from any thread, and from within its own functions and whoever follows its states.
/// Its functions are called on the thread that acts, `mutate` perhaps on several at once; `reduce` on one at a
/// time. There is no hop to a main thread: where the original library blocks on one, and deadlocks on an
/// action within an action, here an action is applied when `action(_:)` returns.
public protocol Reactor: AnyObject, Observable, Sendable {
    /// What can be done.
    associatedtype Action: Sendable
    /// What can happen to the state.
    associatedtype Mutation: Sendable
    /// What is shown.
    associatedtype State: Sendable

    /// The stored core; one for the life of the reactor.
    var core: ReactorCore<Action, Mutation, State> { get }

    /// What an action leads to; the place for side effects.
    func mutate(action: Action) -> Mutations<Mutation>
    /// The state after a mutation; without side effects. It must not read the reactor's `state`.
    func reduce(state: State, mutation: Mutation) -> State
    /// Called once, by `createStateStream()`, with the flow of the actions.
    ///
    /// With a transform of its own, an action that comes while another one is on its way through it follows
    /// that one, perhaps after its `action(_:)` has returned.
    func transform(action: Flow<Action>) -> Flow<Action>
    /// Called once, by `createStateStream()`, with the flow of the asynchronous mutations: the place to merge
    /// others. Synchronous mutations do not pass it.
    func transform(mutation: Flow<Mutation>) -> Flow<Mutation>
    /// Called once, by `createStateStream()`, with the flow of the states, the initial one first. What comes
    /// out is `state` and `states`; mutations are reduced from what went in.
    ///
    /// In the original library states of synchronous mutations do not pass it.
    func transform(state: Flow<State>) -> Flow<State>
    /// Told of the failure of an asynchronous mutation, or of `transform(mutation:)`, whose flow has ended with
    /// it; the reactor lives on. Called where it failed.
    func failed(with error: any Error)
}

extension Reactor {
    /// No mutations.
    public func mutate(action: Action) -> Mutations<Mutation> { .none }
    /// The state as it was.
    public func reduce(state: State, mutation: Mutation) -> State { state }
    /// The actions as they are.
    public func transform(action: Flow<Action>) -> Flow<Action> { action }
    /// The mutations as they are.
    public func transform(mutation: Flow<Mutation>) -> Flow<Mutation> { mutation }
    /// The states as they are.
    public func transform(state: Flow<State>) -> Flow<State> { state }
    /// Does nothing.
    public func failed(with error: any Error) {}

    /// Starts the reactor: calls the three transforms and subscribes to them. To be called once, before any
    /// action.
    public func createStateStream() {
        core.start(self)
    }

    /// The state, synchronous mutations of every finished `action(_:)` included; reading it is tracked by
    /// Swift's `Observation`.
    ///
    /// With a `transform(state:)` of its own: the newest state that has come out of that.
    public var state: State { core.state }

    /// The states: the current one first, then every later one in order, equal or not.
    ///
    /// The original's `$state`. They come on the thread that acts; what acts on the reactor within them is
    /// applied at once, and its states follow.
    public var states: Flow<State> { core.states }

    /// Acts: applies the synchronous mutations of the action before it returns, and subscribes to the
    /// asynchronous ones.
    public func action(_ action: Action) {
        core.send(action)
    }

    /// A binding to a part of the state; setting it sends an action. It keeps the reactor.
    public func mutate<Value>(
        binding keyPath: any KeyPath<State, Value> & Sendable, _ action: @escaping @Sendable (Value) -> Action
    ) -> Binding<Value> {
        Binding(get: { self.state[keyPath: keyPath] }, set: { self.action(action($0)) })
    }

    /// A binding to a part of the state; setting it applies a mutation, without an action. It keeps the
    /// reactor.
    public func reduce<Value>(
        binding keyPath: any KeyPath<State, Value> & Sendable,
        _ mutation: @escaping @Sendable (Value) -> Mutation
    ) -> Binding<Value> {
        Binding(get: { self.state[keyPath: keyPath] }, set: { self.core.perform([mutation($0)]) })
    }
}
