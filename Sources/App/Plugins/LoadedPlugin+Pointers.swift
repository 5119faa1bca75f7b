import Interfaces
import Manifest
import PluginHost
import Records

// What an app may hold of a version's memory after the last call of it.
extension LoadedPlugin {
    /// Has the library stay mapped when it is replaced, if it hands out addresses that nothing closes: states, events and other
    /// plugins may hold them, and they may lie in the library. A pointer that `release` closes keeps the version that opened it.
    ///
    /// - Parameter effects: those that are called.
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
    /// True when its answer may have addresses in it that nothing closes.
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
