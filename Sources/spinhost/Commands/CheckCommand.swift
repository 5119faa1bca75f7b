import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import Records

/// `spinhost check`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Find every fault of the manifest in one run; opens no library.")

    @OptionGroup var manifestOptions: ManifestOptions

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    @Flag(help: "Let warnings count as faults.")
    var denyWarnings = false

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let path = manifestOptions.manifest
        let loaded = App.loadManifest(path: path, overrides: [])
        if outputOptions.json {
            let output = try CommandOutput()
            for diagnostic in loaded.diagnostics { try output.line(diagnostic.json.json) }
        } else {
            let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
            ErrorOutput.write(renderer.render(loaded.diagnostics, in: path))
            if Terminal.isTerminal(STDERR_FILENO) { namePage(of: loaded.diagnostics) }
        }
        if loaded.manifest == nil {
            let status = LoadedManifest.exitStatus(of: loaded.diagnostics)
            throw status == ExitStatus.unreadable ? status : ExitStatus.no
        }
        if denyWarnings && !loaded.diagnostics.isEmpty { throw ExitStatus.no }
    }

    /// Says to people where the first fault, or else the first warning, is explained.
    private func namePage(of diagnostics: [Diagnostic]) {
        let sorted = DiagnosticRenderer.sorted(diagnostics)
        guard let first = sorted.first(where: { $0.severity == .error }) ?? sorted.first else { return }
        ErrorOutput.line("docs/diagnostics/\(first.code.rawValue).md explains \(first.code.rawValue)")
    }
}
