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

    @Flag(help: "Print the faults as JSON objects, one per line.")
    var json = false

    @Flag(help: "Let warnings count as faults.")
    var denyWarnings = false

    func run() throws {
        let path = manifestOptions.manifest
        let loaded = App.loadManifest(path: path, overrides: [])
        if json {
            let output = try CommandOutput()
            for diagnostic in loaded.diagnostics { output.line(diagnostic.json.json) }
        } else {
            let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
            ErrorOutput.write(renderer.render(loaded.diagnostics, in: path))
        }
        if loaded.manifest == nil {
            let status = LoadedManifest.exitStatus(of: loaded.diagnostics)
            throw status == ExitStatus.unreadable ? status : ExitStatus.no
        }
        if denyWarnings && !loaded.diagnostics.isEmpty { throw ExitStatus.no }
    }
}
