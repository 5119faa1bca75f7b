import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest

/// Loads a manifest for a command, and turns its faults into output and an exit code.
enum LoadedManifest {
    /// Loads the manifest at `path`, and prints its diagnostics.
    ///
    /// - Throws: an exit code if it has errors.
    static func load(
        _ path: String, overrides: [String], journal: JournalOverride = JournalOverride()
    ) throws -> Manifest {
        try accept(App.loadManifest(path: path, overrides: overrides, journal: journal), of: path)
    }

    /// Prints the diagnostics of a loaded manifest, and returns it.
    ///
    /// - Parameter isKnown: whether the user knows of a diagnostic, so that it is not printed.
    /// - Throws: an exit code if it has errors.
    static func accept(
        _ loaded: Manifest.Loaded, of path: String, unless isKnown: (Diagnostic) -> Bool = { _ in false }
    ) throws -> Manifest {
        Redaction.conceal(loaded.secrets)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render(loaded.diagnostics.filter { !isKnown($0) }, in: path))
        guard let manifest = loaded.manifest else { throw exitStatus(of: loaded.diagnostics) }
        return manifest
    }

    /// The exit code of a command that needs the manifest: 66 if the file could not be read, 64 if only
    /// `--set` has faults, 69 if only libraries have, else 78.
    static func exitStatus(of diagnostics: [Diagnostic]) -> ExitCode {
        let codes = Set(diagnostics.filter { $0.severity == .error }.map(\.code))
        let unreadable: [ManifestCode] = [.fileMissing, .fileNotRegular, .fileUnreadable]
        let overrides: [ManifestCode] = [.malformedOverride, .unknownConstant]
        if !codes.isDisjoint(with: unreadable.map(\.code)) { return ExitStatus.unreadable }
        // Codes with `P` are about the files of plugins.
        if codes.allSatisfy({ $0.rawValue.hasPrefix("P") }) { return ExitStatus.unavailable }
        return codes.isSubset(of: overrides.map(\.code)) ? ExitStatus.usage : ExitStatus.invalidManifest
    }
}
