import ArgumentParser
import Control
import PluginHost
import Records

/// `spinhost state`
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Print the states of a running app, as JSON, or its counters or metrics.",
        discussion: "The app must run with `--control`.")

    @Flag(
        help: "Print a line for each new state too, until interrupted; the last line says how the app ended."
    )
    var watch = false

    @Flag(help: "Print the metrics of the app's plugins in place of its states.")
    var metrics = false

    @Flag(help: "Print the counters of the app's loops in place of its states; with `--json` as JSON.")
    var counters = false

    @OptionGroup var controlOptions: ControlOptions
    @Option(
        help: ArgumentHelp(
            "For a loop with a key: the instances after this number, which the last line of the list before has.",
            valueName: "number"))
    var after: UInt64?

    @Option(
        help: ArgumentHelp(
            "For a loop with a key: the greatest number of instances, up to 1000; 100 without it.",
            valueName: "count"))
    var limit: Int?

    @OptionGroup var loopOption: LoopOption
    @OptionGroup var keyOption: KeyOption
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        try keyOption.validate(with: loopOption)
        if let limit, !(1...ControlRequest.Page.most).contains(limit) {
            throw ValidationError("`--limit` must be from 1 to \(ControlRequest.Page.most), found \(limit)")
        }
        if after != nil || limit != nil,
            watch || metrics || counters || keyOption.key != nil || loopOption.loop == nil
        {
            throw ValidationError("`--after` and `--limit` list the instances of one loop: `--loop NAME`")
        }
        if keyOption.key != nil && (metrics || counters) {
            throw ValidationError(
                "`--key` prints the state of one instance; leave out `--metrics` and `--counters`")
        }
        if metrics && (watch || loopOption.loop != nil) {
            throw ValidationError(
                "`--metrics` prints the metrics once, of all plugins; leave out `--watch` and `--loop`")
        }
        if counters && (watch || metrics) {
            throw ValidationError(
                "`--counters` prints the counters once; leave out `--watch` and `--metrics`")
        }
    }

    func run() async throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        if watch { return try await follow(report) }
        var client = try controlOptions.connect(report)
        let (request, key): (ControlRequest, String) =
            if metrics {
                (.metrics, "metrics")
            } else if counters {
                (.counters(loop: loopOption.loop), "counters")
            } else {
                (.state(keyOption.place(loopOption), page), "states")
            }
        let answer = try report.answer(to: request, from: &client)
        guard case .list(let lines)? = answer[key] else { throw ExitStatus.unexpected }
        for line in lines {
            let isText = counters && !outputOptions.json
            try report.output.line(isText ? CounterLine(line).text : line.json)
        }
        if let next = answer["next"] { try report.output.line(Value.record([("next", next)]).json) }
    }

    private var page: ControlRequest.Page {
        ControlRequest.Page(after: after ?? 0, limit: limit ?? ControlRequest.Page.first.limit)
    }

    private func follow(_ report: ControlReport) async throws {
        let client = try controlOptions.connect(report)
        let breaker = client.breaker
        try await Interruption.ends("spinhost.watch", interrupt: { breaker.disconnect() }) { interruption in
            try print(client, report, interruption)
        }
    }

    private func print(
        _ client: ControlClient, _ report: ControlReport, _ interruption: Interruption
    ) throws {
        var client = client
        do {
            _ = try report.done(try client.answer(to: .watch(keyOption.place(loopOption), swaps: true)))
            while let line = client.nextLine() {
                // A changed manifest may lack the watched loop. Then there is nothing to watch any more.
                if loopOption.loop != nil, line["error"] != nil { throw report.refuse(line) }
                do { try report.output.standard.writeLine(line.json) } catch {
                    // The reader of the output has closed it and wants no more lines.
                    if error.code == .outputClosed { return }
                    ErrorOutput.show(error)
                    throw ExitStatus.unexpected
                }
                if line["ended"] != nil { return }
            }
            throw client.lost
        } catch let error as ControlUnavailable {
            if !interruption.happened { throw report.refuse(error) }
        }
    }
}
