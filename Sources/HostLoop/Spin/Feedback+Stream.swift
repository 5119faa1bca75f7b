/// Feedbacks with one run for the loop's life, in the words of Spin.Swift.
extension Feedback {
    /// A feedback that makes a flow of events out of the flow of states; see `Feedback.always(_:stream:)`.
    @_disfavoredOverload
    public init(
        stream: @escaping @Sendable (Flow<State>) throws -> Flow<Event>, on executor: LoopExecutor? = nil
    ) {
        self = Feedback.always("", stream: stream).moved(to: executor)
    }

    /// The same as `stream:`, for a function whose types are known: a closure for which they are not is taken
    /// for one of the state.
    @_disfavoredOverload
    public init(
        effect: @escaping @Sendable (Flow<State>) throws -> Flow<Event>, on executor: LoopExecutor? = nil
    ) {
        self.init(stream: effect, on: executor)
    }

    /// A feedback that makes flows of events out of the flow of states, by several functions: the events are
    /// those of all of them, and the first failure ends all of them.
    public init(
        effects: [@Sendable (Flow<State>) throws -> Flow<Event>], on executor: LoopExecutor? = nil
    ) {
        self.init(
            stream: { states in .merge(try effects.map { effect in try effect(states) }) }, on: executor)
    }

    /// A feedback whose events come from a flow that ignores the states; it is subscribed to when the loop
    /// begins.
    public init(source: @escaping @Sendable () throws -> Flow<Event>, on executor: LoopExecutor? = nil) {
        self = Feedback.always("", source: source).moved(to: executor)
    }

    /// The same as `source:`.
    @_disfavoredOverload
    public init(effect: @escaping @Sendable () throws -> Flow<Event>, on executor: LoopExecutor? = nil) {
        self.init(source: effect, on: executor)
    }

    /// Both halves of a user interface: what shows every state in order, and where the user's events come
    /// from.
    ///
    /// Unlike the original's, the executor is that of both halves.
    /// - Parameters:
    ///   - render: Given every state, the initial one first.
    ///   - source: Called once per loop, after the initial state was shown.
    public init(
        uiEffects render: @escaping @Sendable (State) throws -> Void,
        _ source: @escaping @Sendable () throws -> Flow<Event>, on executor: LoopExecutor? = nil
    ) {
        self = Feedback.always(
            "", state: { state, _ in try render(state) },
            run: { state, run in
                try render(state)
                return try RunSink.start(source(), for: run)
            }
        ).moved(to: executor)
    }
}
