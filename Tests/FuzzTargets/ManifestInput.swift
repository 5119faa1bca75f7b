import App
import Diagnostics
import Manifest
import PluginHeader

/// Formats a text, loads it as a manifest and renders its diagnostics. Does with a valid one everything that
/// needs no plugin.
enum ManifestInput {
    static func run(_ bytes: [UInt8]) {
        format(bytes)
        let loaded = App.loadManifest(path: InputFile.write(bytes, as: "app.toml"))
        let isFaulty = loaded.diagnostics.contains { $0.severity == .error }
        precondition((loaded.manifest == nil) == isFaulty, "there is a manifest, or an error")
        precondition(loaded.diagnostics.count <= 201, "the number of diagnostics is bounded")
        for diagnostic in loaded.diagnostics {
            precondition(!diagnostic.message.isEmpty, "every diagnostic says something")
            guard let span = diagnostic.place?.span else { continue }
            let lines = span.file.text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            precondition((1...lines).contains(span.start.line), "every place exists")
        }
        let text = DiagnosticRenderer(color: true).render(loaded.diagnostics, in: "app.toml")
        precondition(text.isEmpty == loaded.diagnostics.isEmpty, "every diagnostic is shown")
        guard let manifest = loaded.manifest else { return }
        precondition(!PluginHeader.text(of: manifest).isEmpty, "every manifest has a header")
        // A loop that never rests takes long until the test gives it up.
        for test in manifest.tests.prefix(4) where manifest.loops[test.loop].reducer == nil {
            _ = test.run(in: manifest).isPassed
        }
    }

    private static func format(_ bytes: [UInt8]) {
        let formatted: [UInt8]?
        do { formatted = try ManifestFormatter.formatted(bytes, name: "app.toml") } catch { return }
        guard let formatted else { preconditionFailure("every TOML text has a canonical form") }
        precondition(
            (try? ManifestFormatter.formatted(formatted, name: "app.toml")) == formatted,
            "a formatted text stays as it is")
    }
}
