import Interfaces
import Records

/// What a test needs to know of a feedback's effect, to let something else stand in for it.
struct EffectScope {
    /// Something that the effect may emit.
    struct Emission {
        /// What a test calls it.
        let key: String
        /// What the host calls it (`EmissionBatch.emitter`).
        let name: String
        let payload: RecordType
    }

    /// What the arguments see.
    let scope: ExpressionScope
    /// What the effect may emit; nil for one that returns.
    let emissions: [Emission]?

    init(_ effect: ManifestDecoder.Effect, of loop: LoopDecoder, _ scope: ExpressionScope) {
        self.scope = scope
        guard effect.function.isEmitting else {
            emissions = nil
            return
        }
        var emissions = effect.emitters.map { Emission(key: $0.name, name: $0.name, payload: $0.payload) }
        // By the functions of the app's header a plugin emits events of the loop.
        let layout = effect.plugin?.description?.loops.first { $0.loop == loop.name }
        for event in layout?.events ?? [] where !emissions.contains(where: { $0.key == event.name }) {
            emissions.append(
                Emission(key: event.name, name: layout?.emissionName(event) ?? "", payload: event.type))
        }
        self.emissions = emissions
    }
}
