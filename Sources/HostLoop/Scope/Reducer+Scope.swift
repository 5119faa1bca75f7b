extension Reducer {
    /// Turns a child's reducer into one of its parent: it handles the child's events, on the child's state.
    public func scoped<Parent: Sendable, ParentEvent: Sendable>(
        state: any WritableKeyPath<Parent, State> & Sendable,
        event: @escaping @Sendable (ParentEvent) -> Event?
    ) -> Reducer<Parent, ParentEvent> {
        let body = body
        return Reducer<Parent, ParentEvent> { (parent: inout Parent, cause: ParentEvent) -> Bool in
            guard let event = event(cause) else { return false }
            return try body(&parent[keyPath: state], event)
        }
    }

    /// Turns the reducer of an optional child into one of its parent. Without a child, it handles no event.
    public func scoped<Parent: Sendable, ParentEvent: Sendable>(
        state: any WritableKeyPath<Parent, State?> & Sendable,
        event: @escaping @Sendable (ParentEvent) -> Event?
    ) -> Reducer<Parent, ParentEvent> {
        let body = body
        return Reducer<Parent, ParentEvent> { (parent: inout Parent, cause: ParentEvent) -> Bool in
            guard let event = event(cause), var child = parent[keyPath: state] else { return false }
            guard try body(&child, event) else { return false }
            parent[keyPath: state] = child
            return true
        }
    }

    /// Combines reducers into one, which calls them in order with the same event. Each reducer gets the state
    /// that the previous ones made.
    ///
    /// The event is handled if at least one of them handled it. If one throws, the state does not change.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// Combines reducers into one, which calls them in order with the same event. Each reducer gets the state
    /// that the previous ones made.
    ///
    /// The event is handled if at least one of them handled it. If one throws, the state does not change.
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer { (state: inout State, event: Event) -> Bool in
            let before = state
            var isHandled = false
            do {
                for reducer in reducers where try reducer.body(&state, event) { isHandled = true }
            } catch {
                state = before
                throw error
            }
            return isHandled
        }
    }
}
