import ArgumentParser

/// Which manifest is meant; understood before and after the verb.
struct ManifestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The manifest.", valueName: "file"), completion: .file(extensions: ["toml"]))
    var manifest = "app.toml"
}
