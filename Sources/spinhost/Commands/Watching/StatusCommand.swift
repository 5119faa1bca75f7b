import ArgumentParser
import Control
import Records

/// `spinhost status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print a line for each running app of this user.",
        discussion: """
            It finds the apps that run with `--control`, or under `dev`. The exit code is 69 if no app listens.
            """)

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        let clients: [ControlClient]
        do { clients = try ControlClient.all() } catch { throw report.refuse(error) }
        var shown = 0
        for client in clients {
            // An app that ends meanwhile is left out.
            guard let status = try? Self.status(client) else { continue }
            try report.output.line(outputOptions.json ? status.json : Self.line(status))
            shown += 1
        }
        guard shown == 0 else { return }
        if !outputOptions.json {
            ErrorOutput.show(
                "no app listens in `\(ControlFolder().path)`",
                help: ["start it with `spinhost run --control`"])
        }
        throw ExitStatus.unavailable
    }

    /// What is known of an app. A host that speaks version 1 only does not say all of it.
    private static func status(_ client: ControlClient) throws(ControlUnavailable) -> Value {
        var client = client
        var fields: [(String, Value)] = [("app", .string(client.app)), ("pid", .int(client.process))]
        if client.versions.contains(2) {
            if let since = try client.speakNewest()["since"] { fields.append(("since", since)) }
        }
        let answer = try client.answer(to: .counters(loop: nil))
        guard case .list(let lines)? = answer["counters"], let app = lines.last else {
            return .record(fields + [("state", .string("starting"))])
        }
        fields.append(("loops", .int(Int64(lines.count - 1))))
        for key in ["steps", "faults"] { fields.append((key, app[key] ?? .int(0))) }
        if let journal = app["journal"] { fields.append(("journal", journal)) }
        return .record(fields)
    }

    /// `door  pid 4711  since 2026-11-25 13:02:48  1 loop, 19 steps, 0 faults  journal run.journal @42`
    private static func line(_ status: Value) -> String {
        func number(_ value: Value?) -> Int { if case .int(let number)? = value { Int(number) } else { 0 } }
        func text(_ value: Value?) -> String? { if case .string(let text)? = value { text } else { nil } }
        var parts = [text(status["app"]) ?? "", "pid \(number(status["pid"]))"]
        if let since = text(status["since"]),
            let time = TimeText.timestamp(ofRFC3339: since)?.nanosecondsSinceEpoch
        {
            parts.append("since \(JournalTime.dateAndTime(time))")
        }
        if text(status["state"]) != nil {
            parts.append("starting")
        } else {
            parts.append(
                "\(CountText.count(number(status["loops"]), "loop")), \(CountText.count(number(status["steps"]), "step")), \(CountText.count(number(status["faults"]), "fault"))"
            )
        }
        if let journal = status["journal"] {
            let broken = journal["broken"] == .bool(true) ? ", not written any more" : ""
            parts.append("journal \(text(journal["file"]) ?? "") @\(number(journal["durable"]))\(broken)")
        } else {
            parts.append("no journal")
        }
        return parts.joined(separator: "  ")
    }
}
