import Diagnostics
import Interfaces
import Manifest
import PluginHost

// Whether one version of a plugin can take the place of another.
extension LoadedPlugin {
    /// What hinders this version from taking the place of `old`, though its functions were found: the manifest was checked
    /// against the notes of `old`. Nil when nothing does.
    func hindrance(replacing old: LoadedPlugin, for effects: [EffectReference]) -> String? {
        if let shared = image.uniqueSymbols.first(where: old.image.uniqueSymbols.contains) {
            return "it would share `\(shared)` with the one that runs: compile both with `-fno-gnu-unique`"
        }
        guard let before = old.image.description else {
            guard image.description != nil else { return nil }
            return "it declares itself as a plugin, which the one that runs does not"
        }
        guard let now = image.description else { return "it does not declare itself as a plugin any more" }
        guard now.id == before.id else { return "it calls itself `\(now.id)`, not `\(before.id)`" }
        guard now.instance == nil else { return "it has instances, which the one that runs does not" }
        for effect in effects {
            guard let was = effect.description, let new = now.effect(effect.name) else { continue }
            guard new.function.isCalled(like: was.function) else {
                return "its effect `\(effect.name)` is `\(new.function.text)`, not `\(was.function.text)`"
            }
            guard new.failsIf == was.failsIf else {
                return "its effect `\(effect.name)` fails if `\(new.failsIf)`, not if `\(was.failsIf)`"
            }
        }
        for was in before.emitters {
            guard let new = now.emitter(was.name) else { return "it has no emitter `\(was.name)` any more" }
            guard new.fields == was.fields, new.payload == was.payload else {
                return "its emitter `\(was.name)` has other fields"
            }
        }
        return nil
    }
}

extension CFunction {
    /// Whether both are called in the same way: names of parameters do not matter.
    fileprivate func isCalled(like other: CFunction) -> Bool {
        result == other.result && parameters.map(\.type) == other.parameters.map(\.type)
    }
}
