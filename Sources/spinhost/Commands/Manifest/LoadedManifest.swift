import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest

/// Loads a manifest for a command, and turns its faults into output and an exit code.
enum LoadedManifest {
    /// The manifest at `path` without faults; warnings are printed.
    ///
    /// - Throws: an exit code, after everything that is wrong was printed.
    static func load(_ path: String, overrides: [String]) throws -> Manifest {
        try accept(App.loadManifest(path: path, overrides: overrides), of: path)
    }

    /// What was loaded from the file at `path`, as `load` does.
    static func accept(_ loaded: Manifest.Loaded, of path: String) throws -> Manifest {
        Redaction.conceal(loaded.secrets)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render(loaded.diagnostics, in: path))
        guard let manifest = loaded.manifest else { throw exitStatus(of: loaded.diagnostics) }
        return manifest
    }

    /// Refuses loops whose reducer is in a library, which the command does not open.
    ///
    /// - Throws: an exit code, after the first such loop was named.
    static func refuseNativeReducers(of loops: [LoopModel], verb: String) throws {
        guard let loop = loops.first(where: { $0.reducer != nil }) else { return }
        ErrorOutput.line(
            "error: loop `\(loop.name)` has a native reducer, and `\(verb)` opens no library")
        throw ExitStatus.unavailable
    }

    /// What a command that needs the manifest exits with: 66 when the file could not be read, 64 when only `--set` is
    /// at fault, 69 when only libraries are, else 78.
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
