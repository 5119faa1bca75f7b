/// The memory of a child's feedback within a loop of its parent.
final class ScopedMemory<
    State: Sendable, Event: Sendable, Parent: Sendable, ParentEvent: Sendable
> {
    private typealias Inner = FeedbackMemory<State, Event>
    private typealias Outer = FeedbackMemory<Parent, ParentEvent>

    private let makeMemory: () -> Inner
    private let restarts: Bool
    private let areEqual: @Sendable (State, State) -> Bool
    private let scope: ChildScope<State, Event, Parent, ParentEvent>
    private let keys: ScopedKeys<State, Event, Parent, ParentEvent>?
    private var inner: Inner
    private var last: State?

    init(
        makeMemory: @escaping () -> FeedbackMemory<State, Event>, restarts: Bool,
        by areEqual: @escaping @Sendable (State, State) -> Bool,
        state: @escaping @Sendable (Parent) -> State?, event: @escaping @Sendable (ParentEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> ParentEvent
    ) {
        self.makeMemory = makeMemory
        self.restarts = restarts
        self.areEqual = areEqual
        scope = ChildScope(state: state, event: event, embed: embed)
        inner = makeMemory()
        keys = ScopedKeys(scope: scope, inner: inner.keyedRole)
    }

    var memory: FeedbackMemory<Parent, ParentEvent> {
        let scope = scope
        var receive: Outer.Receive?
        if let inner = inner.receive { receive = { parent, run in try scope.call(inner, parent, run) } }
        return Outer(
            decide: { parent, cause in try self.decide(parent, cause) },
            effect: { parent, cause, run in
                self.keys?.selectStarting()
                return try scope.call(self.inner.effect, parent, cause, run)
            },
            detached: inner.detached == nil ? nil : { self.detach() }, receive: receive,
            keyedRole: keys.map { .allKeys($0.outer) })
    }

    private func decide(_ parent: Parent, _ cause: ParentEvent?) throws -> RequestChange {
        guard let child = scope.state(parent) else {
            defer { last = nil }
            guard last != nil, restarts else { return .same }
            inner = makeMemory()
            keys?.reset(for: inner.keyedRole)
            return .none
        }
        let childCause = cause.flatMap(scope.event)
        guard childCause != nil || !(last.map { areEqual($0, child) } ?? false) else { return .same }
        last = child
        defer { keys?.transferEndings() }
        return try inner.decide(child, childCause)
    }

    private func detach() -> Outer.SendableEffect {
        let scope = scope
        keys?.selectStarting()
        guard let effect = inner.detached?() else { return { _, _, _ in .finished } }
        return { parent, cause, run in try scope.call(effect, parent, cause, run) }
    }
}
