import ArgumentParser

/// The manifest. The option may stand before or after the verb.
struct ManifestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The manifest.", valueName: "file"), completion: .file(extensions: ["toml"]))
    var manifest = "app.toml"
}
