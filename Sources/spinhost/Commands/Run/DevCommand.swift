import ArgumentParser

/// `spinhost dev`
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run the app, build plugins whose sources change, and swap those whose libraries do.",
        discussion: """
            The loops keep their states, and call the new library from then on. When the manifest changes, only what has \
            changed in it begins or ends.

            When the app ends, or cannot begin, `dev` waits: it runs the app again once you save a file of it, or press Enter. \
            Ctrl-C ends `dev`.
            """)

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup var runOptions: RunOptions

    @Flag(help: "End with the app, as `run` does, or when it cannot begin.")
    var once = false

    func run() async throws {
        try await AppHost(
            manifestOptions.manifest, json: outputOptions.json, options: runOptions, builder: PluginBuilder(),
            isOnce: once
        )
        .run()
    }
}
