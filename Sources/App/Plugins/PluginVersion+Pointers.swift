import Interfaces
import Manifest
import PluginHost
import Records

extension PluginVersion {
    /// Keeps the library mapped after a swap if it hands out addresses that nothing closes.
    ///
    /// States, events and other plugins may hold such an address, and it may lie in the library. A pointer
    /// that `release` closes needs no such care: it keeps the version that opened it.
    ///
    /// - Parameter effects: the effects that the app calls.
    func keepWhatIsHandedOut(by effects: some Sequence<EffectReference>) {
        if let effect = effects.first(where: \.leavesPointers) {
            image.stayMapped(because: "`\(effect.name)` hands out pointers that nothing closes")
        } else if let emitter = image.description?.emitters.first(where: \.payload.hasPointers) {
            image.stayMapped(because: "`\(emitter.name)` emits pointers")
        } else if let layout = image.description?.loops.first(where: \.hasPointers) {
            image.stayMapped(because: "it may put pointers into loop `\(layout.loop)`")
        }
    }
}

extension EffectReference {
    /// Whether the effect's result may contain addresses that nothing closes.
    fileprivate var leavesPointers: Bool {
        if signature.result?.type.hasPointers == true, handles?.returnsHandle != true { return true }
        return signature.parameters.indices.contains { index in
            guard case .out(let buffer) = signature.parameters[index].passing, buffer.form == .elements,
                buffer.element.hasPointers
            else { return false }
            return handles?.outs.contains(index) != true
        }
    }
}

extension LoopLayout {
    fileprivate var hasPointers: Bool { state.hasPointers || events.contains(where: \.type.hasPointers) }
}
