import ArgumentParser

/// The manifest. The option may stand before or after the verb.
struct ManifestOptions: ParsableArguments {
    /// The manifest of a user who names none.
    static let standard = "app.toml"

    @Option(help: ArgumentHelp("The manifest.", valueName: "file"), completion: .file(extensions: ["toml"]))
    var manifest = standard
}
