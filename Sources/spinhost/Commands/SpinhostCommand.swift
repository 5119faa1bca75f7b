import ArgumentParser
import Isolation
import PluginCheck

/// `spinhost`: runs the given verb, by default `run`.
@main
struct SpinhostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spinhost",
        abstract:
            "Runs programs whose logic is a pure reducer in a feedback loop, with effects from shared libraries.",
        discussion: "Without a verb it runs the manifest, as `run` does.",
        version: "0.1.0",
        subcommands: [
            RunCommand.self, DevCommand.self, CheckCommand.self, FmtCommand.self, LspCommand.self,
            NewCommand.self,
            TestCommand.self, ReplayCommand.self, JournalCommand.self,
            HeaderCommand.self, GraphCommand.self, SchemaCommand.self, EvalCommand.self, CallCommand.self,
            PluginCommand.self, BindCommand.self, SendCommand.self, StateCommand.self, SwapCommand.self,
            StatusCommand.self, TailCommand.self, TopCommand.self,
            InspectCommand.self,
            ReloadCommand.self, ServiceCommand.self, ReportCommand.self, DoctorCommand.self,
        ])

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup var runOptions: RunOptions

    func run() async throws {
        try await AppHost(manifestOptions.manifest, json: outputOptions.json, options: runOptions).run()
    }

    /// Parses the command line and runs the command. It adds suggestions for misspelt verbs, because the
    /// parser has them for options only.
    static func main() async {
        // Before anything else: a worker has its own descriptors, and no threads yet.
        if CommandLine.arguments.dropFirst().first == WorkerSetup.verb {
            WorkerProgram.run(TrialProcess.work)
        }
        StandardInput.keep()
        _ = ServiceManager.present
        let arguments = JournalPlace.marked(
            CompilerOptions.separated(Array(CommandLine.arguments.dropFirst())))
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            if let hint = ParserHint.hint(for: fullMessage(for: error)) { ErrorOutput.line(hint) }
            exit(withError: error)
        }
    }
}
