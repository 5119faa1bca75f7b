extension Reducer {
    /// The reducer of a child as one of its parent: it handles the child's events, on the child's state.
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

    /// The reducer of a child that is not always there; without one its events are unhandled.
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

    /// One reducer of several: each is given the event in turn, and the state as the ones before left it.
    ///
    /// The event is handled when one of them handled it. When one throws, the state is as it was before all
    /// of them.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// One reducer of several: each is given the event in turn, and the state as the ones before left it.
    ///
    /// The event is handled when one of them handled it. When one throws, the state is as it was before all
    /// of them.
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
