import ArgumentParser
import Diagnostics
import Interfaces
import Manifest
import Records

/// `spinhost plugin info`
struct PluginInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print what a plugin provides, without running any of its code.",
        discussion: """
            Reads identity, effects, emitters and reducers from the file's notes. A library without notes is not an \
            error: the manifest declares its functions.
            """)

    @Argument(help: "The library: a path, or `spin:NAME`.", completion: .file())
    var file: String?

    @Flag(help: "Print what each plugin of the manifest may do, as tables of a manifest.")
    var sandbox = false

    @OptionGroup var manifestOptions: ManifestOptions

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        if sandbox, file != nil {
            throw ValidationError("`--sandbox` is about the manifest: leave out the file")
        }
        if !sandbox, file == nil { throw ValidationError("Missing expected argument '<file>'") }
        if !sandbox, manifestOptions.given != nil {
            throw ValidationError("`--manifest` belongs to `--sandbox`: a library needs no manifest")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        guard let file else { return try printSandboxes(output) }
        let report: PluginReport
        do { report = try PluginReport(path: IncludedPlugin.path(of: file) ?? file) } catch {
            ErrorOutput.show(Diagnostic(.error, error.code, error.message, help: error.help))
            let isUnreadable = [
                .fileMissing, .fileIsDirectory, .fileUnreadable, .fileIsSpecial, .unknownIncludedPlugin,
            ].contains(error.code)
            throw isUnreadable ? ExitStatus.unreadable : ExitStatus.no
        }
        if outputOptions.json { return try output.line(report.value.json) }
        for line in report.lines { try output.line(line) }
    }

    private func printSandboxes(_ output: CommandOutput) throws {
        let manifest = try LoadedManifest.load(manifestOptions.manifest, overrides: [])
        let reports = manifest.plugins.map { SandboxReport($0) }
        let lines =
            outputOptions.json
            ? reports.map(\.value.json)
            : Array(reports.map(\.lines).joined(separator: [""]))
        for line in lines { try output.line(line) }
    }
}
