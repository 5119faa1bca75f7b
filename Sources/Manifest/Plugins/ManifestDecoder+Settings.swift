import Diagnostics
import Interfaces
import Records

extension ManifestDecoder {
    /// Decodes `config` of a plugin: the values of its settings, checked against the plugin's notes, and where they are.
    ///
    /// - Returns: nil for a plugin without settings. A setting with a reported fault has its default, or no value.
    func settings(
        _ table: TableReader, of description: PluginDescription?, named name: String
    ) -> (values: Record, spans: [String: SourceSpan])? {
        guard let instance = description?.instance else {
            for key in ["config", "instance"] {
                guard let span = table.span(of: key) else { continue }
                collector.error(
                    .needsInstance, "`\(key)` is for plugins with instances, but `\(name)` has no instances",
                    at: span,
                    help: ["a plugin in C declares them with `SPIN_INSTANCE`"])
            }
            return nil
        }
        guard let config = instance.config else {
            if let span = table.span(of: "config") {
                collector.error(
                    .needsInstance, "plugin `\(name)` has no settings", at: span,
                    help: ["a plugin in C declares them with `SPIN_CONFIG`"])
            }
            return nil
        }
        var record = Record(config.type)
        for setting in config.settings {
            guard let value = setting.defaultValue else { continue }
            do { try record.set(setting.name, to: value) } catch {
                preconditionFailure("a default was stored when it was read: \(error)")
            }
        }
        let given = table.table("config", .pluginConfig)
        // Settings that are given, also under a misspelt name, so that they are not reported as missing.
        var met: Set<String> = []
        var spans: [String: SourceSpan] = [:]
        for entry in given?.named ?? [] {
            guard let setting = config.setting(entry.key) else {
                let names = config.settings.map(\.name)
                if let meant = Suggestion.closest(to: entry.key, among: names) { met.insert(meant) }
                collector.error(
                    .unknownField, "plugin `\(name)` has no setting `\(entry.key)`", at: entry.keySpan,
                    label: "known settings: \(names.quoted)", help: [names.suggestion(for: entry.key)])
                continue
            }
            met.insert(setting.name)
            spans[setting.name] = entry.value.span
            store(entry, setting, in: &record)
        }
        guard !table.isRefused("config") else { return (record, spans) }
        for setting in config.settings where setting.defaultValue == nil && !met.contains(setting.name) {
            collector.error(
                .missingKey, "plugin `\(name)` needs its setting `\(setting.name)`",
                at: table.span(of: "config") ?? table.keySpan,
                help: [
                    "give `\(setting.name)` in `config`: its type is `\(setting.typeName)`",
                    setting.doc.isEmpty ? nil : "`\(setting.name)`: \(setting.doc)",
                ])
        }
        return (record, spans)
    }

    private func store(_ entry: TOMLEntry, _ setting: SettingDescription, in record: inout Record) {
        let node = entry.value
        let isSecret = setting.isSecret || Self.isSecret(node)
        guard !setting.isSecret || node.entries.contains(where: { Self.secretSources.contains($0.key) })
        else {
            // The text of the manifest is shown with the report.
            switch node.content {
            case .string(let text): secrets.append(text)
            case .integer(let number): secrets.append(String(number))
            default: break
            }
            collector.error(
                .secretInManifest, "the value of `\(setting.name)` is a secret, but the manifest has it",
                at: node.span,
                help: ["name its source: `\(setting.name) = { env = \"NAME\" }`, or `{ file = \"PATH\" }`"])
            return
        }
        let value =
            isSecret
            ? secretSetting(node, setting, at: entry.keySpan) : self.value(of: node, as: setting.type)
        guard let value else { return }
        do { try record.set(setting.name, to: value) } catch {
            collector.error(
                .doesNotConvert, error.description, at: node.part(error.path.dropFirst()).span)
            return
        }
        guard let range = setting.range, let stored = record[setting.name], !range.contains(stored) else {
            return
        }
        func text(_ value: Value) -> String { RangeModel.text(of: value) }
        collector.error(
            .outOfRange,
            isSecret
                ? "the value of `\(setting.name)` is out of range"
                : "`\(setting.name)` cannot be \(text(stored))", at: node.span,
            label: "expected \(text(range.least)) to \(text(range.greatest))")
    }

    /// The value of a setting with a secret source; nil after a report.
    private func secretSetting(_ node: TOMLNode, _ setting: SettingDescription, at keySpan: SourceSpan)
        -> Value?
    {
        let table = TableReader(
            node, .setting, path: "config.\(setting.name)", keySpan: keySpan, parent: nil,
            collector: collector)
        return secretBytes(table).flatMap {
            secretValue($0, as: setting.type, name: setting.name, at: node.span)
        }
    }
}
