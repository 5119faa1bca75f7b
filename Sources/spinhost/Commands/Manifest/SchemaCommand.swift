import ArgumentParser
import Manifest

/// `spinhost schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of manifests, for editors.",
        discussion: """
            With it in `spinhost.schema.json` beside the manifest, the line `#:schema ./spinhost.schema.json` lets \
            editors that know TOML complete and check the manifest.
            """)

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws { try CommandOutput().line(IndentedJSON.text(of: ManifestSchema.document)) }
}
