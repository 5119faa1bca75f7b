import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import Records

/// `spinhost check`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find every fault of the manifest in one run, without loading a library.")

    @OptionGroup var manifestOptions: ManifestOptions

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    @Flag(help: "Treat warnings as faults.")
    var denyWarnings = false

    @Flag(help: "Compare each plugin's `declares` with its C `headers`, using the C compiler.")
    var headers = false

    @OptionGroup var compilerOptions: CompilerOptions

    @Flag(help: "Print the manifest's files, too, and where those outside of its folder are.")
    var files = false

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let path = manifestOptions.manifest
        let loaded = App.loadManifest(path: path, overrides: [])
        Redaction.conceal(loaded.secrets)
        let differences = headers ? try loaded.manifest.map(compareHeaders) ?? [] : []
        let sandboxFaults = loaded.manifest.map { App.sandboxFaults(of: $0) } ?? []
        let diagnostics = loaded.diagnostics + differences + sandboxFaults
        if files { try printFiles(loaded) }
        if outputOptions.json {
            let output = try CommandOutput()
            for diagnostic in diagnostics { try output.line(diagnostic.json.json) }
        } else {
            let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
            ErrorOutput.write(renderer.render(diagnostics, in: path))
            if Terminal.isTerminal(STDERR_FILENO) { namePage(of: diagnostics) }
        }
        if loaded.manifest == nil {
            let status = LoadedManifest.exitStatus(of: loaded.diagnostics)
            throw status == ExitStatus.unreadable ? status : ExitStatus.no
        }
        let isFaulty = !differences.isEmpty || sandboxFaults.contains { $0.severity == .error }
        if isFaulty || denyWarnings && !diagnostics.isEmpty { throw ExitStatus.no }
    }

    /// Prints the path of each file, and behind it the real path of one that is outside of the manifest's folder.
    private func printFiles(_ loaded: Manifest.Loaded) throws {
        let output = try CommandOutput()
        for path in loaded.files {
            let real = loaded.outside[path]
            let file: [(String, Value)] =
                [("file", .string(path))] + (real.map { [("real", .string($0))] } ?? [])
            try output.line(
                outputOptions.json ? Value.record(file).json : (path + (real.map { " -> \($0)" } ?? "")).shown
            )
        }
    }

    /// The differences between `declares` and the C headers of all plugins.
    ///
    /// - Throws: an exit code if the compiler gave no answer, after it has printed the reason.
    private func compareHeaders(_ manifest: Manifest) throws -> [Diagnostic] {
        do {
            var compiler = compilerOptions.command
            compiler.includes.append(manifest.folder)
            return try manifest.plugins.flatMap { try HeaderCheck($0, compiler: compiler).faults() }
        } catch CompilerCommand.Failure.noCompiler(let reason) {
            ErrorOutput.line("error: `--headers` needs a C compiler: \(reason)")
        } catch CompilerCommand.Failure.noAnswer(let reason) {
            ErrorOutput.line("error: the C compiler gave no answer: \(reason)")
        }
        throw ExitStatus.unavailable
    }

    /// Prints the page that explains the first fault, or without faults the first warning.
    private func namePage(of diagnostics: [Diagnostic]) {
        let sorted = DiagnosticRenderer.sorted(diagnostics)
        guard let first = sorted.first(where: { $0.severity == .error }) ?? sorted.first else { return }
        ErrorOutput.line("docs/diagnostics/\(first.code.rawValue).md explains \(first.code.rawValue)")
    }
}
