import ArgumentParser
import Manifest

/// `spinhost schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of manifests, for editors.",
        discussion: """
            Save it as `spinhost.schema.json` beside the manifest. Then, with the line `#:schema \
            ./spinhost.schema.json` in the manifest, editors for TOML complete and check it.
            """)

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws { try CommandOutput().line(IndentedJSON.text(of: ManifestSchema.document)) }
}
