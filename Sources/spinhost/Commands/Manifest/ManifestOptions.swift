import ArgumentParser

/// The manifest. The option may stand before or after the verb.
struct ManifestOptions: ParsableArguments {
    /// The manifest that the user names; nil for none.
    @Option(
        name: .customLong("manifest"),
        help: ArgumentHelp("The manifest. (default: app.toml)", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var given: String?

    /// The manifest that a command reads.
    var manifest: String { given ?? "app.toml" }
}
