public import Interfaces

extension LoopModel {
    /// The layout of the loop's records in a plugin that is compiled with the app's header.
    public var layout: LoopLayout {
        LoopLayout(
            loop: name, state: stateType,
            events: declaredEvents.map { LoopLayout.Event(name: $0.name, type: $0.type) })
    }

    /// The events that the manifest declares. In `events` they precede those of delayed transitions.
    public var declaredEvents: ArraySlice<EventModel> { events.prefix { $0.delay == nil } }

    /// The plugins whose effects or reducer the loop uses, as indices into `Manifest.plugins`.
    public var plugins: Set<Int> {
        Set(
            feedbacks.compactMap { feedback in
                if case .plugin(let index)? = feedback.effect?.provider { index } else { nil }
            } + (reducer.map { [$0.plugin] } ?? []))
    }
}
