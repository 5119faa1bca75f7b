public import HostLoopFlow
public import Observation

/// A feedback loop in the terms of ReactorKit: actions lead to mutations, and mutations to states.
///
/// A class adopts it with one stored core, and calls `createStateStream()` at the end of its initialiser. A
/// subclass of `BaseReactor` needs neither.
///
/// ```swift
/// final class CountingReactor: Reactor {
///     let core = ReactorCore<Action, Mutation, State>(initialState: State())
///     init() { createStateStream() }
///     …
/// }
/// ```
///
/// Any thread may use a reactor, also within its own functions and within subscribers of its states. Its
/// functions are called on the thread that calls `action(_:)`: `mutate` perhaps on several threads at once,
/// `reduce` on one at a time. Nothing hops to a main thread. The original library blocks on one, and
/// deadlocks on an action within an action. Here an action is applied when `action(_:)` returns.
public protocol Reactor: AnyObject, Observable, Sendable {
    /// A request of a user.
    associatedtype Action: Sendable
    /// A change of the state.
    associatedtype Mutation: Sendable
    /// The state that views show.
    associatedtype State: Sendable

    /// The stored core: one for the life of the reactor.
    var core: ReactorCore<Action, Mutation, State> { get }

    /// Returns the mutations of an action. Side effects belong here.
    func mutate(action: Action) -> Mutations<Mutation>
    /// Returns the state after a mutation. It must have no side effects and must not read the reactor's
    /// `state`.
    func reduce(state: State, mutation: Mutation) -> State
    /// Called once, by `createStateStream()`, with the flow of the actions.
    ///
    /// With a transform of its own, an action that comes while another one passes the transform follows that
    /// one. This may be after its `action(_:)` has returned.
    func transform(action: Flow<Action>) -> Flow<Action>
    /// Called once, by `createStateStream()`, with the flow of the asynchronous mutations. A reactor can
    /// merge other flows here. Synchronous mutations do not pass it.
    func transform(mutation: Flow<Mutation>) -> Flow<Mutation>
    /// Called once, by `createStateStream()`, with the flow of the states, the initial one first. Its result
    /// is `state` and `states`. The reducer gets the states before the transform.
    ///
    /// In the original library, states of synchronous mutations do not pass it.
    func transform(state: Flow<State>) -> Flow<State>
    /// Called where an asynchronous mutation or `transform(mutation:)` fails. The failure ends that flow. The
    /// reactor continues.
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

    /// Starts the reactor: calls the three transforms and subscribes to them. It must be called once, before
    /// any action.
    public func createStateStream() {
        core.start(self)
    }

    /// The state, including synchronous mutations of every finished `action(_:)`. Swift's `Observation`
    /// tracks reads.
    ///
    /// With a `transform(state:)` of its own, it is the newest result of that.
    public var state: State { core.state }

    /// The states: the current one first, then every later one in order, equal or not.
    ///
    /// The original's `$state`. They come on the thread of the action. An action within a subscriber is
    /// applied at once, and its states follow.
    public var states: Flow<State> { core.states }

    /// Applies the synchronous mutations of the action before it returns, and subscribes to the asynchronous
    /// ones.
    public func action(_ action: Action) {
        core.send(action)
    }

    /// A binding to a part of the state. When it is set, it sends an action. It keeps the reactor.
    public func mutate<Value>(
        binding keyPath: any KeyPath<State, Value> & Sendable, _ action: @escaping @Sendable (Value) -> Action
    ) -> Binding<Value> {
        Binding(get: { self.state[keyPath: keyPath] }, set: { self.action(action($0)) })
    }

    /// A binding to a part of the state. When it is set, it applies a mutation, without an action. It keeps
    /// the reactor.
    public func reduce<Value>(
        binding keyPath: any KeyPath<State, Value> & Sendable,
        _ mutation: @escaping @Sendable (Value) -> Mutation
    ) -> Binding<Value> {
        Binding(get: { self.state[keyPath: keyPath] }, set: { self.core.perform([mutation($0)]) })
    }
}
