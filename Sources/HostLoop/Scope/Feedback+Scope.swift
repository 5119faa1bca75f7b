extension Feedback {
    /// The feedback of a child as one of its parent.
    ///
    /// It sees the child's states: a state of the parent is one when there is a child state in it that
    /// differs from the one before, or that an event of the child caused. So what others do in the parent
    /// neither cancels nor repeats it. A state without a child ends its run, and the next child starts
    /// afresh; only an `always` feedback has one run for the parent's life, from the first child state on.
    /// - Parameters:
    ///   - state: The child's state within the parent's, or nil. Called once per state of the parent, and
    ///     once per run.
    ///   - event: The child's event within the parent's, or nil.
    ///   - embed: Makes an event of the parent of one of the child, where the effect emits it.
    public func scoped<Parent: Sendable, ParentEvent: Sendable>(
        state: @escaping @Sendable (Parent) -> State?, event: @escaping @Sendable (ParentEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> ParentEvent
    ) -> Feedback<Parent, ParentEvent> where State: Equatable {
        let (makeMemory, restarts) = (makeMemory, policy.whenBusy != .always)
        let make: @Sendable () -> FeedbackMemory<Parent, ParentEvent> = {
            let scoped = ScopedMemory<State, Event, Parent, ParentEvent>(
                makeMemory: makeMemory, restarts: restarts, state: state, event: event, embed: embed)
            return scoped.memory
        }
        var scoped = Feedback<Parent, ParentEvent>(name, policy: policy, makeMemory: make)
        scoped.chosenExecutor = chosenExecutor
        if let recover { scoped.recover = { error in recover(error).map(embed) } }
        return scoped
    }
}
