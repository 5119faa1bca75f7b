import ArgumentParser
import Control
import Glibc
import PluginHost
import Records

/// `spinhost tail`
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Print the steps, faults and log of a running app, until interrupted.",
        discussion: """
            The app must run with `--control`. `--filter` chooses steps by an expression in CEL, which reads `loop_name`, `key`, \
            `step`, `event`, `payload`, `origin`, `before` and `state`: --filter 'event == "pushed"'. When steps come \
            too fast, some are left out, and a line says how many.
            """)

    @Option(help: ArgumentHelp("Only steps for which this is true.", valueName: "expression"))
    var filter: String?

    @Flag(help: "Print the beginnings and ends of runs, and the messages of gears, too.")
    var runs = false

    @OptionGroup var controlOptions: ControlOptions
    @OptionGroup var loopOption: LoopOption
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() async throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        var client = try controlOptions.connect(report)
        do { _ = try client.speakNewest() } catch { throw report.refuse(error) }
        let breaker = client.breaker
        try await Interruption.ends("spinhost.tail", interrupt: { breaker.disconnect() }) {
            [client] interruption in
            try print(client, report, interruption)
        }
    }

    private func print(
        _ client: ControlClient, _ report: ControlReport, _ interruption: Interruption
    ) throws {
        var client = client
        var watch = ControlWatch(
            loop: loopOption.loop, [.steps, .faults, .log], swaps: true, filter: filter)
        if runs { watch.kinds.formUnion([.runs, .gears]) }
        let form = TailLine(color: report.output.hasColor)
        do {
            _ = try report.done(try client.answer(to: .follow(watch)))
            while let line = client.nextLine() {
                // A changed manifest has no such loop, or no field that the filter reads.
                if line["error"] != nil { throw report.refuse(line) }
                if let text = outputOptions.json ? line.json : form.text(line) {
                    guard try report.output.isRead(text) else { return }
                }
                if line["ended"] != nil { return }
            }
            throw client.lost
        } catch let error as ControlUnavailable {
            if !interruption.happened { throw report.refuse(error) }
        }
    }
}
