import Diagnostics
import Glibc
import Records

extension ManifestDecoder {
    /// The keys that name the source of a secret value, of which a secret has one.
    static let secretSources = ManifestTable.secret.markers

    /// True for a table that names the source of a secret value: `{ env = "NAME" }`, `{ file = "…" }`,
    /// `{ credential = "NAME" }`.
    static func isSecret(_ node: TOMLNode) -> Bool {
        let keys = node.entries.map(\.key)
        return keys.contains(where: secretSources.contains)
            && keys.allSatisfy { ManifestTable.secret.field($0) != nil || $0 == "initial" }
    }

    /// The type and value of a secret. No diagnostic shows the value. Nil after a report.
    func secret(_ node: TOMLNode, name: String, at keySpan: SourceSpan) -> (type: ValueType, value: Value)? {
        let table = TableReader(
            node, .secret, path: "config.\(name)", keySpan: keySpan, parent: nil, collector: collector)
        var type = ValueType.string
        if let node = table.value("type") {
            guard let given = self.type(node) else { return nil }
            type = given
        } else if table.isRefused("type") {
            return nil
        }
        guard let bytes = secretBytes(table) else { return nil }
        return secretValue(bytes, as: type, name: name, at: node.span, type: table.value("type")?.span)
            .map { (type, $0) }
    }

    /// The content of a secret's variable, file or credential; nil after a report.
    func secretBytes(_ table: TableReader) -> [UInt8]? {
        let given = Self.secretSources.filter { table.span(of: $0) != nil }
        if given.count > 1, let span = table.span(of: given[0]) {
            collector.error(
                .conflictingKeys, "`\(given[0])` and `\(given[1])` exclude one another", at: span,
                help: ["keep one of them: a secret has one source"])
            return nil
        }
        return table.value("env").map(variable) ?? table.value("file").map(secretFile)
            ?? table.value("credential").map(credential) ?? nil
    }

    /// Converts a secret to a value of its type and conceals it in all later output; nil after a report.
    ///
    /// - Parameters:
    ///   - span: the span of the secret.
    ///   - typeSpan: the span of its type, if the manifest gives it.
    func secretValue(
        _ bytes: [UInt8], as type: ValueType, name: String, at span: SourceSpan,
        type typeSpan: SourceSpan? = nil
    ) -> Value? {
        if type == .bytes {
            conceal(bytes, as: type)
            return .bytes(bytes)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            collector.error(
                .doesNotConvert, "the value of secret `\(name)` is not UTF-8", at: span,
                help: ["`type = \"bytes\"` accepts any bytes"])
            return nil
        }
        conceal(bytes, as: type)
        // The error of the conversion would show the value, so the report leaves it out.
        var trial = Record(RecordType([("value", type)]))
        guard let value = try? override(text, as: type), (try? trial.set("value", to: value)) != nil else {
            collector.error(
                .doesNotConvert, "the value of secret `\(name)` does not convert to `\(type.name)`",
                at: typeSpan ?? span)
            return nil
        }
        return value
    }

    private func conceal(_ bytes: [UInt8], as type: ValueType) {
        if let text = String(validating: bytes, as: UTF8.self) { secrets.append(text) }
        if type == .bytes, case let json = Value.bytes(bytes).json, json.utf8.count > 2 {
            secrets.append(String(json.dropFirst().dropLast()))
        }
    }

    private func variable(_ node: TOMLNode) -> [UInt8]? {
        guard let name = node.string else { return nil }
        // Safe because the program does not change its environment, and the value is copied at once.
        guard !name.utf8.contains(0), let value = unsafe getenv(name) else {
            collector.error(
                .secretMissing, "there is no environment variable `\(name)`", at: node.span,
                help: ["set it for the host: `\(name)=… spinhost …`"])
            return nil
        }
        // Safe because it ends with a NUL character.
        return unsafe Array(String(cString: value).utf8)
    }

    private func secretFile(_ node: TOMLNode) -> [UInt8]? {
        guard let name = node.string else { return nil }
        return content(
            of: name.hasPrefix("/") ? name : "\(folder)/\(name)", what: "secret", at: node, help: [])
    }

    /// The content of a file that the service manager has made for the host.
    private func credential(_ node: TOMLNode) -> [UInt8]? {
        guard let name = node.string else { return nil }
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            collector.error(
                .secretMissing, "a credential cannot have the name `\(name)`", at: node.span,
                help: ["write the name that the unit gives it: letters, digits, `-`, `_` and `.`"])
            return nil
        }
        let help = ["give it to the host in the unit: `LoadCredential=\(name):/PATH` (systemd.exec(5))"]
        // Safe because no thread changes the environment, and the text is copied.
        let folder = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
        guard let folder, !folder.isEmpty else {
            collector.error(
                .secretMissing, "there is no credential `\(name)`: `CREDENTIALS_DIRECTORY` is not set",
                at: node.span, help: help)
            return nil
        }
        return content(of: "\(folder)/\(name)", what: "credential", at: node, help: help)
    }

    /// The content of a file, without the line end that editors append; nil after a report.
    private func content(of path: String, what: String, at node: TOMLNode, help: [String]) -> [UInt8]? {
        do throws(Diagnostic) {
            guard !path.utf8.contains(0) else {
                throw Diagnostic(.error, ManifestCode.secretMissing.code, "the name has a NUL character")
            }
            var bytes = try ManifestFile.readBytes(path)
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return bytes
        } catch {
            collector.error(
                .secretMissing, "the \(what) cannot be read: \(error.message)", at: node.span, help: help)
            return nil
        }
    }
}
