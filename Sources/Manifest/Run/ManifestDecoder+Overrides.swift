import Diagnostics
import Records

extension ManifestDecoder {
    /// Replaces constants by the `NAME=VALUE` texts of the command line. A value is TOML, or the plain text
    /// of a string.
    func apply(_ overrides: [String]) {
        for text in overrides {
            let name = text.firstIndex(of: "=").map { String(text[..<$0]) } ?? text
            let isSecret = secretConstants.contains(name)
            let file = SourceFile(name: "--set", text: isSecret ? "\(name)=<secret>" : text)
            let whole = SourceText(file: file).span
            guard let equals = text.firstIndex(of: "=") else {
                collector.error(
                    .malformedOverride, "`--set \(text)` is not `NAME=VALUE`", at: whole,
                    help: ["write `--set \(text)=VALUE`"])
                continue
            }
            guard let field = config.type.field(name) else {
                let names = config.type.fields.lazy.map(\.name)
                collector.error(
                    .unknownConstant, "there is no constant `\(name)` in `config`",
                    at: SourceText(file: file).span(of: 0..<name.utf8.count),
                    label: names.isEmpty ? "`config` is empty" : "`config` has \(names.quoted)",
                    help: [names.suggestion(for: name)])
                continue
            }
            let value = String(text[text.index(after: equals)...])
            if isSecret { secrets.append(value) }
            do {
                try config.set(name, to: try override(value, as: field.type))
            } catch {
                collector.error(
                    .doesNotConvert,
                    "`\(name)`: \(isSecret ? "the value does not convert to `\(field.type.name)`" : error.message)",
                    at: SourceText(file: file).span(of: name.utf8.count + 1..<file.text.utf8.count))
            }
        }
    }

    /// Reads a text as a value of a type: TOML, or the plain text of a string.
    func override(_ text: String, as type: ValueType) throws(RecordError) -> Value {
        let plain = if case .optional(let wrapped) = type { wrapped } else { type }
        switch plain {
        case .string, .enumeration: return .string(text)
        default: break
        }
        // A text that is not a TOML value is a string, from which a duration or a timestamp is made.
        let source = TOMLSource(file: SourceFile(name: "--set", text: "value = \(text)"))
        let node =
            (try? source.parse())?.entry("value")?.value
            ?? TOMLNode(content: .string(text), span: SourceText(file: source.file).span)
        let own = DiagnosticCollector()
        let reader = ManifestDecoder(
            files: [source], standardPlugin: self.standardPlugin, readsLibraries: false, collector: own)
        guard let value = reader.value(of: node, as: type) else {
            throw RecordError(.wrongType, own.diagnostics[0].message)
        }
        return value
    }
}
