import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest

/// Whether a command that runs reducers may load plugins.
struct LibraryOptions: ParsableArguments {
    @Flag(help: "Load the plugins of native reducers, each after a trial in a process of its own.")
    var libraries = false

    /// Loads the plugins of these loops' native reducers; nil if there are none.
    ///
    /// - Parameters:
    ///   - manifest: the manifest with the loops.
    ///   - path: the manifest's file, for messages.
    ///   - verb: the command, for messages.
    ///   - log: the options of log lines.
    /// - Throws: an exit code, after the reason was printed.
    func load(
        _ manifest: Manifest, of loops: [LoopModel], path: String, verb: String, log: RunOptions
    ) throws -> ReducerLibraries? {
        guard let loop = loops.first(where: { $0.reducer != nil }) else { return nil }
        guard libraries else {
            ErrorOutput.show(
                "loop `\(loop.name)` has a native reducer, but `\(verb)` loads no library",
                help: ["with `--libraries` it loads the plugins of native reducers"])
            throw ExitStatus.unavailable
        }
        let outlet = LogOutlet(manifest.log, options: log)
        let trials = TrialRunner()
        do throws(AppRefusal) {
            return try ReducerLibraries(
                manifest, of: loops, log: { outlet.log($0) }, trial: { trials.verdict(of: $0) })
        } catch {
            let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
            ErrorOutput.write(renderer.render(error.diagnostics, in: path))
            throw ExitStatus.unavailable
        }
    }
}
