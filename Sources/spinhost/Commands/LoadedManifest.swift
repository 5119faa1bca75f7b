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
        let loaded = App.loadManifest(path: path, overrides: overrides)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render(loaded.diagnostics, in: path))
        guard let manifest = loaded.manifest else { throw exitStatus(of: loaded.diagnostics) }
        return manifest
    }

    /// 66 when the file could not be read, else 78.
    static func exitStatus(of diagnostics: [Diagnostic]) -> ExitCode {
        diagnostics.contains { $0.code.isUnreadableFile } ? ExitStatus.unreadable : ExitStatus.invalidManifest
    }
}
