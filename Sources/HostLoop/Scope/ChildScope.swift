/// The mapping between the states and events of a child and those of its parent.
struct ChildScope<
    State: Sendable, Event: Sendable, Parent: Sendable, ParentEvent: Sendable
>: Sendable {
    typealias Inner = FeedbackMemory<State, Event>

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
