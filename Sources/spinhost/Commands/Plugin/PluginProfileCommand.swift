import App
import ArgumentParser
import Diagnostics
import Manifest
import PluginHost
import Records

/// `spinhost plugin profile`
struct PluginProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Run the app, refuse nothing to its plugins, and print the `sandbox` that they need.",
        discussion: """
            The app runs to its end, or until you interrupt it. Have it do all that it does in use. The tables have \
            what the plugins were allowed before, and what they have used. Nothing is refused and nothing is limited \
            meanwhile, so run only code that you trust.
            """)

    @Argument(
        help: ArgumentHelp(
            "The names of plugins with `isolation = \"process\"`.  (default: all)", valueName: "plugin"))
    var plugins: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write the tables to this file.  (default: stdout)", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup var runOptions: RunOptions

    func run() async throws {
        let path = manifestOptions.manifest
        // A faulty manifest is reported when it is run.
        let manifest = App.loadManifest(
            path: path, overrides: runOptions.set, journal: runOptions.journalOverride
        ).manifest
        if let manifest { try check(manifest) }
        let profile = SandboxProfile(of: Set(plugins), in: manifest?.plugins ?? [])
        let host = try AppHost(path, json: false, options: runOptions, profile: profile)
        var end: (any Error)?
        do { try await host.run() } catch { end = error }
        if let manifest { try write(profile, manifest, host.view.output) }
        if let end { throw end }
    }

    /// - Throws: an exit code if there is nothing to find out, after it has printed the reason.
    private func check(_ manifest: Manifest) throws {
        let isolated = manifest.plugins.filter { $0.sandbox != nil }.map(\.name)
        for name in plugins where !isolated.contains(name) {
            guard let plugin = manifest.plugins.first(where: { $0.name == name }) else {
                let closest = Suggestion.closest(to: name, among: manifest.plugins.map(\.name))
                ErrorOutput.show(
                    Diagnostic(
                        .error, .usage, "the manifest has no plugin `\(name)`",
                        help: closest.map { ["did you mean `\($0)`?"] } ?? []))
                throw ExitStatus.usage
            }
            ErrorOutput.show(
                Diagnostic(
                    .error, .usage,
                    "`\(name)` has `isolation = \"\(plugin.isolation)\"`, so it has no sandbox",
                    help: ["write `isolation = \"process\"` into `[plugins.\(name)]` first"]))
            throw ExitStatus.usage
        }
        if isolated.isEmpty {
            ErrorOutput.show(
                Diagnostic(
                    .error, .usage, "no plugin of the manifest has a sandbox",
                    help: ["write `isolation = \"process\"` into the table of one first"]))
            throw ExitStatus.usage
        }
        // The observer then learns of calls, but not of their paths.
        let scope = FileContent.read("/proc/sys/kernel/yama/ptrace_scope", atMost: 16).flatMap {
            Int(String(decoding: $0.prefix { $0 >= UInt8(ascii: "0") }, as: UTF8.self))
        }
        if let scope, scope > 1 {
            ErrorOutput.show(
                Diagnostic(
                    .error, .usage,
                    "the kernel does not let the host read the paths that a plugin opens (`ptrace_scope` is \(scope))",
                    help: [
                        "`sysctl kernel.yama.ptrace_scope=1` allows it until the next start of the machine"
                    ]))
            throw ExitStatus.unavailable
        }
    }

    private func write(_ profile: SandboxProfile, _ manifest: Manifest, _ standard: CommandOutput) throws {
        let reports = manifest.plugins.compactMap { plugin in
            profile.rules(for: plugin).map { SandboxReport(plugin, needs: $0.rules, beyond: $0.beyond) }
        }
        // The app has not begun, or calls no such plugin.
        guard !reports.isEmpty else { return ErrorOutput.line("no plugin with a sandbox was started") }
        let lines =
            outputOptions.json
            ? reports.map(\.value.json) : Array(reports.map(\.lines).joined(separator: [""]))
        var failure: ExitCode?
        if let file = output {
            do throws(WrittenFile.Failure) {
                return try WrittenFile.write(lines.map { Redaction.redacted($0) + "\n" }.joined(), to: file)
            } catch {
                // The run may have been long.
                ErrorOutput.line("error: `\(file)` cannot be written: \(error.text)")
                failure = ExitStatus.unavailable
            }
        }
        for line in lines { try standard.line(line) }
        if let failure { throw failure }
    }
}
