import ArgumentParser
import Control
import Records

/// `spinhost reload`
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have a running app read its manifest again, and continue with it.",
        discussion: """
            The app must run with `--control` or as `dev`. Its loops keep their states, and only what has changed begins or \
            ends. Constants are read again too, such as secrets. Prints `reloaded`, or `refused` with the reasons; then \
            nothing has changed. SIGHUP asks for the same.
            """)

    @OptionGroup var controlOptions: ControlOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        try report.change(controlOptions, by: .reload, good: ["swapped"]) { outcome, _ in
            outcome == "swapped" ? "reloaded" : outcome
        }
    }
}
