import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import PluginHeader
import PluginHost

/// `spinhost header`
struct HeaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "header",
        abstract: "Write a C header with the app's records, for plugins to include.",
        discussion: """
            The header has structs for states, events and their parts, constants for enumerations and events, and \
            functions that emit the loops' events. The plugins of the manifest need not exist. A file that has the same \
            content already is not written.
            """)

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup(visibility: .hidden) var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write instead of stdout.", valueName: "file"),
        completion: .file(extensions: ["h"]))
    var output: String?

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let path = manifestOptions.manifest
        let loaded = App.loadDeclarations(path: path)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render(loaded.diagnostics, in: path))
        guard let manifest = loaded.manifest else {
            throw LoadedManifest.exitStatus(of: loaded.diagnostics)
        }
        let text = PluginHeader.text(of: manifest)
        guard let output else { return try CommandOutput().line(String(text.dropLast())) }
        do { try WrittenFile.write(text, to: output) } catch {
            ErrorOutput.line("error: `\(output)` cannot be written: \(error.text)")
            throw ExitStatus.unexpected
        }
    }
}
