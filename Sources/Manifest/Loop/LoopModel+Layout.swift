public import Interfaces

extension LoopModel {
    /// The loop's records, as a plugin that is compiled with the app's header has them.
    public var layout: LoopLayout {
        LoopLayout(
            loop: name, state: stateType,
            events: declaredEvents.map { LoopLayout.Event(name: $0.name, type: $0.type) })
    }

    /// The events that the manifest declares, which stand before those of delayed transitions.
    public var declaredEvents: ArraySlice<EventModel> { events.prefix { $0.delay == nil } }

    /// The plugins whose effects or reducer it uses, as indices into `Manifest.plugins`.
    public var plugins: Set<Int> {
        Set(
            feedbacks.compactMap { feedback in
                if case .plugin(let index)? = feedback.effect?.provider { index } else { nil }
            } + (reducer.map { [$0.plugin] } ?? []))
    }
}
