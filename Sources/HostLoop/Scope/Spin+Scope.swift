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
    ///   - areEqual: Whether two states of the child are the same: see `Feedback.scoped`.
    public func embedding<Child: Sendable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event,
        by areEqual: @escaping @Sendable (Child, Child) -> Bool
    ) -> Spin {
        embedding(
            child, reducer: child.plan.reducer.scoped(state: state, event: event),
            feedbacks: child.plan.feedbacks.map {
                $0.scoped(state: { $0[keyPath: state] }, event: event, embed: embed, by: areEqual)
            })
    }

    /// The same for states of a child that compare by `==`.
    public func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        embedding(child, state: state, event: event, embed: embed, by: ==)
    }

    /// Embeds an optional child spin in this spin. While there is no child, only this spin's reducer gets its
    /// events, and its feedbacks do not run.
    /// - Parameters:
    ///   - state: The key path of the child's state, nil without a child.
    ///   - event: Returns the child's event within an event, or nil.
    ///   - embed: Turns an event of the child into an event of this spin.
    ///   - areEqual: Whether two states of the child are the same: see `Feedback.scoped`.
    public func embedding<Child: Sendable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child?> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event,
        by areEqual: @escaping @Sendable (Child, Child) -> Bool
    ) -> Spin {
        embedding(
            child, reducer: child.plan.reducer.scoped(state: state, event: event),
            feedbacks: child.plan.feedbacks.map {
                $0.scoped(state: { $0[keyPath: state] }, event: event, embed: embed, by: areEqual)
            })
    }

    /// The same for states of a child that compare by `==`.
    public func embedding<Child: Sendable & Equatable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, state: any WritableKeyPath<State, Child?> & Sendable,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        embed: @escaping @Sendable (ChildEvent) -> Event
    ) -> Spin {
        embedding(child, state: state, event: event, embed: embed, by: ==)
    }

    private func embedding<Child: Sendable, ChildEvent: Sendable>(
        _ child: Spin<Child, ChildEvent>, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>]
    ) -> Spin {
        Spin(
            initialState: plan.initialState, reducer: .combine(reducer, plan.reducer),
            feedbacks: plan.feedbacks + feedbacks, until: plan.until, mailbox: plan.mailbox,
            executor: plan.executor, clock: plan.clock)
    }
}
