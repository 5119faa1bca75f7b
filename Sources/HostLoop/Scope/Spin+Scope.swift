extension Spin {
    /// This spin with a child's within it: the child's events go to the child's reducer first, then to this
    /// spin's; the child's feedbacks come after this spin's, and see the child's states only.
    ///
    /// The child begins with what this spin's initial state has at `state`; its own initial state, its
    /// `until`, executor and clock play no part.
    /// - Parameters:
    ///   - state: Where the child's state is.
    ///   - event: The child's event within an event, or nil.
    ///   - embed: Makes an event of one of the child.
    public func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        embedding(
            child, reducer: child.plan.reducer.scoped(state: state, event: event),
            state: { $0[keyPath: state] }, event: event, embed: embed)
    }

    /// This spin with a child's within it that is not always there: while it is not, its events are left to
    /// this spin's reducer, and its feedbacks do not run.
    /// - Parameters:
    ///   - state: Where the child's state is, if there is one.
    ///   - event: The child's event within an event, or nil.
    ///   - embed: Makes an event of one of the child.
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
