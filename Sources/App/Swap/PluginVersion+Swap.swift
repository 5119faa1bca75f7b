import Diagnostics
import Interfaces
import Manifest
import PluginHost
import Records

// Whether one version of a plugin can take the place of another.
extension PluginVersion {
    /// Checks that this version has the interface of `old`, as the manifest was checked with the notes of
    /// `old`.
    ///
    /// - Throws: `DiagnosticCode.otherInterface`.
    func check(replacing old: PluginVersion, for effects: [EffectReference]) throws(AppRefusal) {
        guard let difference = difference(from: old, for: effects) else { return }
        throw AppRefusal(
            Diagnostic(
                .otherInterface, difference,
                help: "start the app again, so that the manifest is checked with it"))
    }

    private func difference(from old: PluginVersion, for effects: [EffectReference]) -> String? {
        guard let before = old.image.description else {
            guard image.description != nil else { return nil }
            return "it declares itself as a plugin, and the version that runs does not"
        }
        guard let now = image.description else { return "it does not declare itself as a plugin any more" }
        guard now.id == before.id else { return "it calls itself `\(now.id)`, not `\(before.id)`" }
        guard now.instance == nil || before.instance != nil else {
            return "it has instances, and the version that runs has none"
        }
        guard now.instance != nil || before.instance == nil else { return "it has no instances any more" }
        for effect in effects {
            guard let was = effect.description, let new = now.effect(effect.name) else { continue }
            guard new.function.isCalled(like: was.function) else {
                if new.function.text == was.function.text, let record = Self.record(of: now, not: before) {
                    return record
                }
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

    /// The first struct that both declare, but with different fields, in words.
    private static func record(of now: PluginDescription, not before: PluginDescription) -> String? {
        for was in before.records {
            guard let new = now.records.first(where: { $0.name == was.name }), new != was else { continue }
            return "its record `\(was.name)` is `\(new.text)`, not `\(was.text)`"
        }
        return nil
    }
}

extension PluginVersion {
    /// Takes over the values of the settings of `old`, by their names.
    ///
    /// A new setting has its default. A setting that had the old default takes the new default, if there is
    /// one.
    ///
    /// - Throws: `DiagnosticCode.otherSettings`.
    mutating func takeSettings(of old: PluginVersion) throws(AppRefusal) {
        let was = old.image.description?.instance?.config
        guard let now = image.description?.instance?.config else {
            config = nil
            try Self.check(was, is: nil, old.config)
            return
        }
        try Self.check(was, is: now, old.config)
        var values = Record(now.type)
        for setting in now.settings {
            let known = was?.setting(setting.name)
            if let known, known.typeName != setting.typeName {
                throw .otherSettings(
                    "its setting `\(setting.name)` is `\(setting.typeName)`, not `\(known.typeName)`")
            }
            var value = known == nil ? setting.defaultValue : old.config?[setting.name]
            if let known, value == known.defaultValue { value = setting.defaultValue ?? value }
            guard let value else {
                throw .otherSettings("its setting `\(setting.name)` is new, and has no default")
            }
            if let range = setting.range, !range.contains(value) {
                throw .otherSettings(
                    "its setting `\(setting.name)` is \(value.json), which is out of its range now")
            }
            do throws(RecordError) { try values.set(setting.name, to: value) } catch {
                throw .otherSettings("its setting `\(setting.name)` cannot take its value: \(error)")
            }
        }
        config = values
    }

    /// Checks that the manifest sets no setting that is gone.
    private static func check(
        _ was: ConfigDescription?, is now: ConfigDescription?, _ values: Record?
    ) throws(AppRefusal) {
        for setting in was?.settings ?? [] where now?.setting(setting.name) == nil {
            guard values?[setting.name] == setting.defaultValue else {
                throw .otherSettings(
                    "it has no setting `\(setting.name)` any more, but the app gives it a value")
            }
        }
    }
}

extension CFunction {
    /// Whether both are called in the same way. The names of parameters do not matter.
    fileprivate func isCalled(like other: CFunction) -> Bool {
        result == other.result && parameters.map(\.type) == other.parameters.map(\.type)
    }
}

extension AppRefusal {
    fileprivate static func otherSettings(_ reason: String) -> AppRefusal {
        AppRefusal(
            Diagnostic(
                .otherSettings, reason,
                help: "start the app again, with the settings that the new version takes"))
    }
}
