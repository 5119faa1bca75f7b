import Diagnostics
import Interfaces

// Which libraries may be loaded.
extension ManifestDecoder {
    /// Decodes `app.plugins`; nil if the key is absent, and after a report.
    func decodeAllowedLibraries(_ app: TableReader) -> AllowedLibraries? {
        guard let entries = app.strings("plugins") else { return nil }
        do {
            return try AllowedLibraries(entries.map(\.text), manifestFolder: folder)
        } catch {
            let node = entries.first {
                (try? AllowedLibraries([$0.text], manifestFolder: folder)) == nil
            }?.node
            collector.add(
                Diagnostic(
                    .error, error.code, error.message, at: node?.span ?? app.keySpan, help: error.help))
            return nil
        }
    }

    /// Decodes `app.lock`.
    func decodeLock(_ app: TableReader) -> Bool {
        guard app.boolean("lock") == true else { return false }
        return !isIgnoredInDevelopment("app.lock", at: app.span(of: "lock"), "it swaps what it builds")
    }

    /// Decodes `sha256`, the hash that the plugin's file must have; nil if the key is absent, and after a report.
    func hash(_ table: TableReader) -> String? {
        guard let node = table.value("sha256"), let text = node.string else { return nil }
        guard LibraryHash.isWellFormed(text) else {
            collector.error(
                .malformedHash, "`\(text)` is not a SHA-256 hash", at: node.span,
                help: ["write 64 hexadecimal digits, as `sha256sum` prints them"])
            return nil
        }
        return isIgnoredInDevelopment("sha256", at: node.span, "it loads what it builds") ? nil : text
    }

    /// Whether `dev` ignores a key. If so, a warning says it.
    private func isIgnoredInDevelopment(_ key: String, at span: SourceSpan?, _ reason: String) -> Bool {
        guard isDevelopment else { return false }
        collector.add(
            Diagnostic(
                .warning, ManifestCode.ignoredInDevelopment.code, "`dev` ignores `\(key)`: \(reason)",
                at: span))
        return true
    }
}
