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
        scoped.executor = executor
        if let recover { scoped.recover = { error in recover(error).map(embed) } }
        return scoped
    }
}

/// The memory of a child's feedback within a loop of its parent.
private final class ScopedMemory<
    State: Sendable & Equatable, Event: Sendable, Parent: Sendable, ParentEvent: Sendable
> {
    private typealias Inner = FeedbackMemory<State, Event>
    private typealias Outer = FeedbackMemory<Parent, ParentEvent>

    private let makeMemory: () -> Inner
    private let restarts: Bool
    private let scope: Scope
    private var inner: Inner
    private var last: State?

    init(
        makeMemory: @escaping () -> FeedbackMemory<State, Event>, restarts: Bool,
        state: @escaping @Sendable (Parent) -> State?, event: @escaping @Sendable (ParentEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> ParentEvent
    ) {
        self.makeMemory = makeMemory
        self.restarts = restarts
        scope = Scope(state: state, event: event, embed: embed)
        inner = makeMemory()
    }

    var memory: FeedbackMemory<Parent, ParentEvent> {
        let scope = scope
        var receive: Outer.Receive?
        if let inner = inner.receive { receive = { parent, run in try scope.call(inner, parent, run) } }
        return Outer(
            decide: { parent, cause in try self.decide(parent, cause) },
            effect: { parent, cause, run in try scope.call(self.inner.effect, parent, cause, run) },
            detached: inner.detached == nil ? nil : { self.detach() }, receive: receive)
    }

    private func decide(_ parent: Parent, _ cause: ParentEvent?) throws -> RequestChange {
        guard let child = scope.state(parent) else {
            defer { last = nil }
            guard last != nil, restarts else { return .same }
            inner = makeMemory()
            return .none
        }
        let childCause = cause.flatMap(scope.event)
        guard childCause != nil || last != child else { return .same }
        last = child
        return try inner.decide(child, childCause)
    }

    private func detach() -> Outer.SendableEffect {
        let scope = scope
        guard let effect = inner.detached?() else { return { _, _, _ in .finished } }
        return { parent, cause, run in try scope.call(effect, parent, cause, run) }
    }

    /// How the child lies within its parent.
    private struct Scope: Sendable {
        let state: @Sendable (Parent) -> State?
        let event: @Sendable (ParentEvent) -> Event?
        let embed: @Sendable (Event) -> ParentEvent

        func call(
            _ effect: Inner.Effect, _ parent: Parent, _ cause: ParentEvent?, _ run: Run<ParentEvent>
        ) throws -> EffectStatus {
            guard let child = state(parent) else { return .finished }
            return try RunRelay(run, translate: embed).call { run in
                try effect(child, cause.flatMap(event), run)
            }
        }

        func call(_ receive: Inner.Receive, _ parent: Parent, _ run: Run<ParentEvent>) throws {
            guard let child = state(parent) else { return }
            try receive(child, RunRelay(run, translate: embed).inner)
        }
    }
}
