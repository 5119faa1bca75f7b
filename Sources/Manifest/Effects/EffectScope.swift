import Interfaces
import Records

/// The facts about a feedback's effect from which the decoder checks a test double.
struct EffectScope {
    /// A possible emission of the effect.
    struct Emission {
        /// Its name in a test.
        let key: String
        /// Its name in the host (`EmissionBatch.emitter`).
        let name: String
        let payload: RecordType
    }

    /// The scope of the arguments.
    let scope: ExpressionScope
    /// The possible emissions; nil for an effect that returns.
    let emissions: [Emission]?

    init(_ effect: ManifestDecoder.Effect, of loop: LoopDecoder, _ scope: ExpressionScope) {
        self.scope = scope
        guard effect.function.isEmitting else {
            emissions = nil
            return
        }
        var emissions = effect.emitters.map { Emission(key: $0.name, name: $0.name, payload: $0.payload) }
        // With the functions of the app's header, a plugin emits events of the loop directly.
        let layout = effect.plugin?.description?.loops.first { $0.loop == loop.name }
        for event in layout?.events ?? [] where !emissions.contains(where: { $0.key == event.name }) {
            emissions.append(
                Emission(key: event.name, name: layout?.emissionName(event) ?? "", payload: event.type))
        }
        self.emissions = emissions
    }
}
