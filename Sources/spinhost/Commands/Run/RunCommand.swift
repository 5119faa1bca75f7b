import ArgumentParser

/// `spinhost run`
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the app that the manifest describes.")

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup var runOptions: RunOptions

    func run() async throws {
        try await AppHost(manifestOptions.manifest, json: outputOptions.json, options: runOptions).run()
    }
}
