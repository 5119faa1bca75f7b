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
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        var client = try controlOptions.connect(report)
        let answer: Value
        do { answer = try client.answer(to: .swap(plugin: plugin)) } catch { throw report.refuse(error) }
        let done = try report.done(answer)
        guard let swap = done["swap"], case .string(let outcome)? = swap["outcome"] else {
            throw ExitStatus.unexpected
        }
        if outputOptions.json {
            try report.output.line(done.json)
        } else {
            let versions = [swap["from"], swap["to"]].compactMap(report.text).joined(separator: " → ")
            try report.output.line("\(outcome)\(versions.isEmpty ? "" : " \(versions)")")
            report.showReasons(of: swap)
        }
        if outcome != "swapped" && outcome != "unchanged" { throw ExitStatus.no }
    }
}
