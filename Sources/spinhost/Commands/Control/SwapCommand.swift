import ArgumentParser
import Control
import Records

/// `spinhost swap`
struct SwapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swap", abstract: "Swap a plugin of a running app whose library has changed.",
        discussion: """
            The app must run with `--control` or as `dev`, which swaps automatically. Prints `swapped` or `unchanged`, \
            or another outcome with its reasons.
            """)

    @Argument(help: "The plugin's name in the manifest.")
    var plugin: String

    @OptionGroup var controlOptions: ControlOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        try report.change(controlOptions, by: .swap(plugin: plugin), good: ["swapped", "unchanged"]) {
            let versions = [$1["from"], $1["to"]].compactMap(report.text).joined(separator: " → ")
            return versions.isEmpty ? $0 : "\($0) \(versions)"
        }
    }
}
