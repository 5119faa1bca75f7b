import ArgumentParser
import Control
import Records

/// `spinhost send`
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send an event to a running app.",
        discussion: """
            The app must run with `--control`. Prints `queued`, or `rejected` if the mailbox is full, or `stopped` if \
            the loop has stopped. For a loop with a key, `limit` says that there are as many instances as there may be, \
            and `absent` that the event makes no instance. `spinhost state --watch` shows the states that follow. With `--wait durable` it waits \
            until the event is in the app's journal, and prints `durable @POSITION`.
            """)

    @Argument(help: "The event.")
    var event: String

    @Argument(
        help: ArgumentHelp(
            "Its fields: NAME=VALUE for each, or one JSON object. A value is plain text, or JSON for lists and records.",
            valueName: "field=value"))
    var fields: [String] = []

    @Option(
        help: ArgumentHelp("Wait until the event is in the app's journal: durable.", valueName: "moment"),
        completion: .list(ControlRequest.Wait.allCases.map(\.rawValue)),
        transform: { word in
            guard let wait = ControlRequest.Wait(rawValue: word) else {
                throw ValidationError("`\(word)` is not `durable`")
            }
            return wait
        })
    var wait: ControlRequest.Wait?

    @OptionGroup var controlOptions: ControlOptions
    @OptionGroup var loopOption: LoopOption
    @OptionGroup var keyOption: KeyOption
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        try keyOption.validate(with: loopOption)
        _ = try content()
    }

    func run() throws {
        let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
        let request = ControlRequest.send(
            event: event, keyOption.place(loopOption), try content(), wait: wait)
        var client = try controlOptions.connect(report)
        let done = try report.answer(to: request, from: &client)
        guard case .string(let result)? = done["result"] else { throw ExitStatus.unexpected }
        var text = result
        if case .int(let position)? = done["position"] { text += " @\(position)" }
        try report.output.line(outputOptions.json ? done.json : text)
        if ["rejected", "stopped", "limit", "absent"].contains(result) { throw ExitStatus.no }
    }

    private func content() throws -> ControlRequest.Content {
        if fields.count == 1, fields[0].hasPrefix("{") {
            do { return .payload(try Value(json: fields[0])) } catch { throw ValidationError(error.message) }
        }
        var texts: [ControlRequest.Text] = []
        for field in fields {
            guard let split = field.firstIndex(of: "=") else {
                throw ValidationError("`\(field)` is neither FIELD=VALUE nor a JSON object")
            }
            let name = String(field[..<split])
            guard !texts.contains(where: { $0.name == name }) else {
                throw ValidationError("field `\(name)` is given twice")
            }
            texts.append(
                ControlRequest.Text(name: name, text: String(field[field.index(after: split)...])))
        }
        return .texts(texts)
    }
}
