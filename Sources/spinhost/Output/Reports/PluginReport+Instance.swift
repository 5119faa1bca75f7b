import Interfaces
import Records

extension PluginReport {
    /// What is kept between calls, and what a manifest may set, for people.
    static func lines(of instance: InstanceDescription?) -> [String] {
        guard let instance else { return [] }
        let life = instance.hasLife ? ", started before its loop and stopped after it" : ""
        var lines = entry("instance", "one for each loop, or for the app\(life)", "")
        for setting in instance.config?.settings ?? [] {
            let given = setting.defaultValue.map { " = \($0.json)" } ?? ", to be given"
            let range = setting.range.map { ", \($0.least.json) to \($0.greatest.json)" } ?? ""
            lines += entry("setting", "\(setting.type.name) \(setting.name)\(given)\(range)", setting.doc)
        }
        if let schema = instance.schema {
            lines += entry("state", "saved and restored, schema \(schema)", "")
        }
        return lines
    }

    /// The same for programs; null for a plugin without instances.
    static func value(of instance: InstanceDescription?) -> Value {
        guard let instance else { return .null }
        let settings = (instance.config?.settings ?? []).map { setting in
            map([
                ("name", .string(setting.name)), ("type", .string(setting.type.name)),
                ("default", setting.defaultValue ?? .null), ("least", setting.range?.least ?? .null),
                ("greatest", setting.range?.greatest ?? .null), ("doc", .string(setting.doc)),
            ])
        }
        return map([
            ("life", .bool(instance.hasLife)), ("settings", .list(settings)),
            ("schema", instance.schema.map { .int(Int64($0)) } ?? .null),
        ])
    }
}
