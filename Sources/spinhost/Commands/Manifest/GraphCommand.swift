import ArgumentParser
import Manifest

/// `spinhost graph`
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Print a picture of the app: loops, feedbacks, events.",
        discussion:
            "Markdown renderers draw Mermaid; Graphviz draws DOT: `spinhost graph --format dot | dot -Tsvg`."
    )

    /// The languages of pictures.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case mermaid, dot
    }

    @OptionGroup var manifestOptions: ManifestOptions

    @Option(help: "The picture's language.")
    var format = Format.mermaid

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let output = try CommandOutput()
        let manifest = try LoadedManifest.load(manifestOptions.manifest, overrides: [])
        try output.line(String(Graph(manifest).text(as: format).dropLast()))
    }
}
