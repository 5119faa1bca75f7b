public import HostLoop
public import HostLoopFlow

/// Feedbacks with one run for the loop's life, by their names in Spin.Swift.
extension Feedback {
    /// A feedback that makes a flow of events out of the flow of states; see `Feedback.always(_:stream:)`.
    @_disfavoredOverload
    public init(stream: @escaping @Sendable (Flow<State>) throws -> Flow<Event>) {
        self = .always("", stream: stream)
    }

    /// The same as `stream:`, on an executor of choice.
    ///
    /// For a function whose types are known, in a place where the feedback's are: `effect:` is taken for one
    /// of the state otherwise.
    @_disfavoredOverload
    public init(
        effect stream: @escaping @Sendable (Flow<State>) throws -> Flow<Event>,
        on executor: LoopExecutor? = nil
    ) {
        self = Feedback(stream: stream).moved(to: executor)
    }

    /// A feedback that makes flows of events out of the flow of states, by several functions: the events are
    /// those of all of them, and the first failure ends all of them.
    public init(
        effects: [@Sendable (Flow<State>) throws -> Flow<Event>], on executor: LoopExecutor? = nil
    ) {
        self = Feedback(
            stream: { states in .merge(try effects.map { effect in try effect(states) }) }
        ).moved(to: executor)
    }

    /// A feedback whose events come from a flow that ignores the states; it is subscribed to when the loop
    /// begins.
    public init(source: @escaping @Sendable () throws -> Flow<Event>) {
        self = .always("", source: source)
    }

    /// The same as `source:`, on an executor of choice.
    @_disfavoredOverload
    public init(
        effect source: @escaping @Sendable () throws -> Flow<Event>, on executor: LoopExecutor? = nil
    ) {
        self = Feedback(source: source).moved(to: executor)
    }

    /// A feedback that gets every state, the initial one first, in order, without a gap. It emits no events.
    public init(render: @escaping @Sendable (State) throws -> Void) {
        self = .always("", effect: { state, _ in try render(state) })
    }

    /// Both halves of a user interface: a function that shows every state in order, and the source of the
    /// user's events.
    ///
    /// Unlike the original's, the executor is that of both halves.
    /// - Parameters:
    ///   - render: Gets every state, the initial one first.
    ///   - source: Called once per loop, after the initial state was shown.
    public init(
        uiEffects render: @escaping @Sendable (State) throws -> Void,
        _ source: @escaping @Sendable () throws -> Flow<Event>, on executor: LoopExecutor? = nil
    ) {
        self = Feedback.always(
            "", state: { state, _ in try render(state) },
            run: { state, run in
                try render(state)
                return try source().start(for: run)
            }
        ).moved(to: executor)
    }
}
