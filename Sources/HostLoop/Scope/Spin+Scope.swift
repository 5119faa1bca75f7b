extension Spin {
    /// Embeds a child spin in this spin.
    ///
    /// The child's events go first to the child's reducer, then to this spin's reducer. The child's feedbacks
    /// come after those of this spin and see only the child's states. The child begins with the value at
    /// `state` in this spin's initial state. The child's own initial state, `until`, executor and clock are
    /// ignored.
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - event: Returns the child's event within an event, or nil.
    ///   - embed: Turns an event of the child into an event of this spin.
    public func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        embedding(
            child, reducer: child.plan.reducer.scoped(state: state, event: event),
            state: { $0[keyPath: state] }, event: event, embed: embed)
    }

    /// Embeds an optional child spin in this spin. While there is no child, only this spin's reducer gets its
    /// events, and its feedbacks do not run.
    /// - Parameters:
    ///   - state: The key path of the child's state, nil without a child.
    ///   - event: Returns the child's event within an event, or nil.
    ///   - embed: Turns an event of the child into an event of this spin.
    public func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child?> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        embedding(
            child, reducer: child.plan.reducer.scoped(state: state, event: event),
            state: { $0[keyPath: state] }, event: event, embed: embed)
    }

    private func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, reducer: Reducer<State, Event>,
        state: @escaping @Sendable (State) -> Child?, event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        Spin(
            initialState: plan.initialState, reducer: .combine(reducer, plan.reducer),
            feedbacks: plan.feedbacks
                + child.plan.feedbacks.map { $0.scoped(state: state, event: event, embed: embed) },
            until: plan.until, mailbox: plan.mailbox, executor: plan.executor, clock: plan.clock)
    }
}
