public import HostLoop

/// The transitions of a machine whose states and events are types.
///
///     let transitions = Transitions {
///         From(Loading.self) { state in
///             On(DataIsLoaded.self, transitionTo: Loaded.self) { Loaded(page: state.page, data: $0.data) }
///             On(LoadingHasFailed.self, transitionTo: Failed())
///         }
///         From(AnyState.self) {
///             On(Refresh.self, transitionTo: Loading())
///         }
///     }
///
/// For a state and an event, the first of these that applies wins: the state's type and the event's, the
/// state's type and `AnyEvent`, `AnyState` and the event's type, `AnyState` and `AnyEvent`. Two `From` for
/// one type are merged, and for one event the first declared wins.
///
/// An event that no transition handles is *unhandled*. There is no new state, feedbacks get nothing, no run
/// is cancelled, and observers are notified. The original publishes the old state again and repeats its
/// effects.
public struct Transitions: Sendable {
    let declarations: [From]
    /// The executor of the reducer, and so of the loop; nil is that of the system.
    public private(set) var executor: LoopExecutor?

    private let rows: [ObjectIdentifier: TransitionRow]
    private let wildcards: TransitionRow

    /// Makes a list of transitions.
    public init(@ArrayBuilder<From> _ transitions: () -> [From]) {
        self.init(transitions(), executor: nil)
    }

    private init(_ declarations: [From], executor: LoopExecutor?) {
        self.declarations = declarations
        self.executor = executor
        var rows: [ObjectIdentifier: TransitionRow] = [:]
        for from in declarations {
            rows[ObjectIdentifier(from.source), default: TransitionRow()].add(from.body)
        }
        wildcards = rows.removeValue(forKey: ObjectIdentifier(AnyState.self)) ?? TransitionRow()
        self.rows = rows
    }

    /// The transitions as a reducer.
    public var reducer: Reducer<any State, any Event> {
        Reducer { (state: any State, event: any Event) -> (any State)? in
            transition(from: state, on: event)
        }
    }

    /// The state that an event leads to, or nil if nothing handles it.
    public func transition(from state: any State, on event: any Event) -> (any State)? {
        let source = ObjectIdentifier(type(of: state))
        if type(of: event) == Elapsed.self, let elapsed = event as? Elapsed {
            let row = elapsed.source == source ? rows[source] : elapsed.isOfAnyState ? wildcards : nil
            return row?.next(state, on: event, cause: .delay(elapsed.delay))
        }
        let cause = On.Cause.event(ObjectIdentifier(type(of: event)))
        return rows[source]?.next(state, on: event, cause: cause)
            ?? wildcards.next(state, on: event, cause: cause)
    }

    /// The delays that run in the state, in the order of declaration, each once.
    func delays(of state: any State) -> [Elapsed] {
        let type = type(of: state)
        let own = rows[ObjectIdentifier(type)]?.delays(of: state) ?? []
        var seen: Set<Elapsed> = []
        return
            (own.map { Elapsed($0, in: type) }
            + wildcards.delays(of: state).map { Elapsed($0, in: AnyState.self) })
            .filter { seen.insert($0).inserted }
    }

    /// The feedback that measures the time of delayed transitions, with the loop's clock, and emits
    /// `Elapsed`.
    ///
    /// A `System` has it. A `Spin` with `reducer` needs it among its feedbacks if there is an `After`.
    public var delays: Feedback<any State, any Event> {
        .onEach("after", requests: { delays(of: $0) }, key: { $0 }) { elapsed, run in
            run.resume(after: elapsed.delay.duration) { run in
                run.emit(elapsed)
                return .finished
            }
            return .pending
        }
    }

    /// The same transitions, all disabled while `disabled` is true; see `On.disable(_:)`.
    ///
    /// It keeps the executor, unlike the original.
    public func disable(_ disabled: @escaping @Sendable () -> Bool) -> Transitions {
        Transitions(declarations.map { $0.disable(disabled) }, executor: executor)
    }

    /// The same transitions on another executor, unless they have one already: the innermost wins.
    ///
    /// The reducer runs where the loop runs, so this is the loop's executor.
    public func execute(on executor: LoopExecutor) -> Transitions {
        Transitions(declarations, executor: self.executor ?? executor)
    }
}
