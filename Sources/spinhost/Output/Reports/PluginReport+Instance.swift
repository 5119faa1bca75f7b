import Interfaces
import Records

extension PluginReport {
    /// The lines for people about instances, settings and saved state.
    static func lines(of instance: InstanceDescription?) -> [String] {
        guard let instance else { return [] }
        let life = instance.hasLife ? ", started before its loop and stopped after it" : ""
        var lines = entry("instance", "one for each loop, or for the app\(life)", "")
        for setting in instance.config?.settings ?? [] {
            let given =
                setting.defaultValue.map { setting.isSecret ? "" : " = \($0.json)" } ?? ", required"
            let range = setting.range.map { ", \($0.least.json) to \($0.greatest.json)" } ?? ""
            lines += entry("setting", "\(setting.typeName) \(setting.name)\(given)\(range)", setting.doc)
        }
        if instance.takesChangedSettings {
            lines += entry("changes", "of settings reach a running instance", "")
        }
        if let schema = instance.schema {
            lines += entry("state", "saved and restored, schema \(schema)", "")
        }
        return lines
    }

    /// The record for programs about instances, settings and saved state; null for a plugin without
    /// instances.
    static func value(of instance: InstanceDescription?) -> Value {
        guard let instance else { return .null }
        let settings = (instance.config?.settings ?? []).map { setting in
            map([
                ("name", .string(setting.name)), ("type", .string(setting.typeName)),
                ("default", setting.defaultValue ?? .null), ("least", setting.range?.least ?? .null),
                ("greatest", setting.range?.greatest ?? .null), ("doc", .string(setting.doc)),
            ])
        }
        return map([
            ("life", .bool(instance.hasLife)), ("settings", .list(settings)),
            ("schema", instance.schema.map { .int(Int64($0)) } ?? .null),
            ("reconfigure", .bool(instance.takesChangedSettings)),
        ])
    }
}
