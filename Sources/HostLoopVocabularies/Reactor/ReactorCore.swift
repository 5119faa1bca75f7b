public import HostLoop
import HostLoopFlow

/// The loop of a reactor and its streams. A class that adopts `Reactor` stores one.
public final class ReactorCore<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
    private struct Parts: Sendable {
        let loop: Loop<State, Mutation>
        let actions: TransformedStream<Action>
        let states: TransformedStream<State>
    }

    private let initialState: State
    private let clock: any LoopClock
    private let parts = Lock<Parts?>(nil)
    /// The asynchronous mutations of each action.
    private let asyncs = Gear<Flow<Mutation>>()
    /// The states after the transform.
    private let published = Gear<State>(replaying: 1)
    private let signal = StateSignal()

    /// Makes the core of a reactor that is not started.
    /// - Parameter clock: The clock of asynchronous mutations.
    public init(initialState: State, clock: any LoopClock = ContinuousLoopClock()) {
        self.initialState = initialState
        self.clock = clock
    }

    var state: State {
        signal.access()
        guard let parts = parts.withLock({ $0 }) else { return initialState }
        return parts.states.isPlain ? parts.loop.state : published.newest ?? initialState
    }

    var states: Flow<State> { published.flow }

    func send(_ action: Action) {
        running.actions.push(action)
    }

    func perform(_ mutations: [Mutation]) {
        running.loop.perform(mutations)
    }

    private var running: Parts {
        guard let parts = parts.withLock({ $0 }) else {
            preconditionFailure("a reactor was used before `createStateStream()`")
        }
        return parts
    }

    // MARK: - The start

    func start<Owner: Reactor>(_ reactor: Owner)
    where Owner.Action == Action, Owner.Mutation == Mutation, Owner.State == State {
        precondition(parts.withLock { $0 == nil }, "`createStateStream()` was called twice")
        let actions = TransformedStream<Action> { [weak reactor] action in
            if let reactor { reactor.core.take(action, by: reactor) }
        }
        let states = TransformedStream(first: initialState) { [signal, published] state in
            published.propagate(event: state)
            signal.change()
        }
        let asyncs = asyncs.flow.flatMap { [weak reactor] flow in
            flow.catch { [weak reactor] error in
                reactor?.failed(with: error)
                return .none
            }
        }
        let transformedActions = reactor.transform(action: actions.source)
        let mutations = Self.keeping(reactor, during: reactor.transform(mutation: asyncs))
        states.connect(reactor.transform(state: states.source))
        let spin = Spin<State, Mutation>(
            initialState: initialState,
            // The draining thread came through an action or through `keeping`, and has a reference to the
            // reactor. So the reference that is taken here is never the last.
            reducer: Reducer { [weak reactor] (state: inout State, mutation: Mutation) -> Bool in
                guard let reactor else { return false }
                state = reactor.reduce(state: state, mutation: mutation)
                return true
            },
            feedbacks: [
                .announcing { [weak states] state, _ in states?.push(state) },
                .always("mutation", source: { mutations }),
            ], executor: .caller, clock: clock)
        let loop = spin.makeLoop()
        parts.withLock { $0 = Parts(loop: loop, actions: actions, states: states) }
        loop.begin()
        actions.connect(transformedActions)
    }

    /// The same mutations, with a reference to the reactor while one is delivered.
    private static func keeping<Owner: Reactor>(
        _ reactor: Owner, during mutations: Flow<Mutation>
    ) -> Flow<Mutation> {
        Flow { [weak reactor] sink in
            let subscription = mutations.sink(
                clock: sink.clock,
                receiveCompletion: { [weak reactor] completion in
                    if case .failure(let error) = completion { reactor?.failed(with: error) }
                },
                receiveValue: { [weak reactor] mutation in
                    guard let reactor else { return }
                    withExtendedLifetime(reactor) { _ = sink.emit(mutation) }
                })
            sink.onCancel {
                subscription.cancel()
                sink.finish()
            }
        }
    }

    private func take<Owner: Reactor>(_ action: Action, by reactor: Owner)
    where Owner.Action == Action, Owner.Mutation == Mutation {
        let mutations = reactor.mutate(action: action)
        if !mutations.sync.isEmpty { perform(mutations.sync) }
        if !mutations.async.isNone { asyncs.propagate(event: mutations.async) }
    }
}
