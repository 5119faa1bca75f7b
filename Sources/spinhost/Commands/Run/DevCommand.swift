import ArgumentParser

/// `spinhost dev`
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run the app, build plugins whose sources change, and swap those whose libraries do.",
        discussion: """
            The loops go on with their states; calls from then on are those of the new library. When the manifest changes, \
            only what has changed in it begins or ends.
            """)

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup var runOptions: RunOptions

    func run() async throws {
        try await AppRunner(
            manifest: manifestOptions.manifest, json: outputOptions.json, options: runOptions,
            swapsLibraries: true
        )
        .run()
    }
}
