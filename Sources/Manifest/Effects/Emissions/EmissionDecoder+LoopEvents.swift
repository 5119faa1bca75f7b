import Interfaces

extension EmissionDecoder {
    /// Adds the events that the plugin emits with the functions of the app's header. They need no mapping.
    func addLoopEvents(
        of effect: ManifestDecoder.Effect, in scope: ExpressionScope, to batches: inout [[EmissionBatch]]
    ) {
        guard effect.function.isEmitting,
            let layout = effect.plugin?.description?.loops.first(where: { $0.loop == loop.name })
        else { return }
        for event in layout.events {
            // If the event is missing or different, `checkLayouts` refuses the plugin.
            guard
                let index = loop.events.firstIndex(where: { $0.name == event.name && $0.type == event.type })
            else { continue }
            let name = layout.emissionName(event)
            guard let copies = copy(of: event.type, emittedAs: name, to: index, in: scope) else { continue }
            for index in batches.indices {
                batches[index].append(EmissionBatch(emitter: name, emissions: copies[index]))
            }
        }
    }
}
