extension Feedback {
    /// Turns a child's feedback into a feedback of its parent.
    ///
    /// The feedback sees only the child's states. A new state of the parent counts if its child state differs
    /// from the previous one, or if an event of the child caused it. Other changes of the parent neither
    /// cancel nor repeat the effect.
    ///
    /// A parent state without a child ends the run, and the next child starts with fresh memory. An `always`
    /// feedback is the exception: it has one run for the parent's life, from the first child state on.
    /// - Parameters:
    ///   - state: Returns the child's state within the parent's, or nil. Called once per state of the parent,
    ///     and once per run.
    ///   - event: Returns the child's event within the parent's, or nil.
    ///   - embed: Turns an event of the child into one of the parent. Called where the effect emits it.
    ///   - areEqual: Whether two states of the child are the same. Called on the loop's executor.
    public func scoped<Parent: Sendable, ParentEvent: Sendable>(
        state: @escaping @Sendable (Parent) -> State?, event: @escaping @Sendable (ParentEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> ParentEvent,
        by areEqual: @escaping @Sendable (State, State) -> Bool
    ) -> Feedback<Parent, ParentEvent> {
        let (makeMemory, restarts) = (makeMemory, policy.whenBusy != .always)
        let make: @Sendable () -> FeedbackMemory<Parent, ParentEvent> = {
            let scoped = ScopedMemory<State, Event, Parent, ParentEvent>(
                makeMemory: makeMemory, restarts: restarts, by: areEqual, state: state, event: event,
                embed: embed)
            return scoped.memory
        }
        var scoped = Feedback<Parent, ParentEvent>(name, policy: policy, makeMemory: make)
        scoped.chosenExecutor = chosenExecutor
        if let recover { scoped.recover = { error in recover(error).map(embed) } }
        return scoped
    }

    /// The same for states that compare by `==`.
    public func scoped<Parent: Sendable, ParentEvent: Sendable>(
        state: @escaping @Sendable (Parent) -> State?, event: @escaping @Sendable (ParentEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> ParentEvent
    ) -> Feedback<Parent, ParentEvent> where State: Equatable {
        scoped(state: state, event: event, embed: embed, by: ==)
    }
}
