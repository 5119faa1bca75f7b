import ArgumentParser
import Control
import Records

/// The error reports of `send`, `state` and `swap`: for people on stderr, with `--json` as an answer of the
/// protocol on stdout.
struct ControlReport {
    let output: CommandOutput
    let isJSON: Bool

    /// Reports why the app cannot be reached, and returns the exit code.
    func refuse(_ error: ControlUnavailable) -> ExitCode {
        refuse("unavailable", error.message, error.help)
        return ExitStatus.unavailable
    }

    /// The answer of an app to a request that it accepts.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    func answer(to request: ControlRequest, from client: inout ControlClient) throws -> Value {
        let answer: Value
        do { answer = try client.answer(to: request) } catch { throw refuse(error) }
        return try done(answer)
    }

    /// Has an app change to something else, and prints the outcome and the reasons against it.
    ///
    /// - Parameters:
    ///   - good: the outcomes with exit code 0.
    ///   - text: what is printed of the change, for people.
    /// - Throws: an exit code, after it has printed the reason.
    func change(
        _ options: ControlOptions, by request: ControlRequest, good: [String],
        _ text: (_ outcome: String, _ change: Value) -> String
    ) throws {
        var client = try options.connect(self)
        let done = try answer(to: request, from: &client)
        guard let change = done["swap"], case .string(let outcome)? = change["outcome"] else {
            throw ExitStatus.unexpected
        }
        if isJSON {
            try output.line(done.json)
        } else {
            try output.line(text(outcome, change))
            showReasons(of: change)
        }
        if !good.contains(outcome) { throw ExitStatus.no }
    }

    /// The answer, if the app has accepted the request.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    func done(_ answer: Value) throws -> Value {
        guard case .bool(false)? = answer["ok"] else { return answer }
        throw refuse(answer)
    }

    /// Reports the error in an answer of the app, and returns the exit code.
    func refuse(_ answer: Value) -> ExitCode {
        let error = answer["error"]
        let code = text(error?["code"]) ?? ""
        refuse(code, text(error?["message"]) ?? "the app refused the request", texts(error?["help"]))
        return switch ControlFault.Code(rawValue: code) {
        case .notBegun, .tooManyClients, .notPermitted, .noJournal: ExitStatus.unavailable
        case .journalFailed: ExitStatus.journal
        default: ExitStatus.usage
        }
    }

    private func refuse(_ code: String, _ message: String, _ help: [String]) {
        guard isJSON else { return ErrorOutput.show(message, help: help) }
        var error: [(String, Value)] = [("code", .string(code)), ("message", .string(message))]
        if !help.isEmpty { error.append(("help", .list(help.map(Value.string)))) }
        try? output.line(Value.record([("ok", .bool(false)), ("error", .record(error))]).json)
    }

    /// Writes why a swap or a change of the manifest was refused.
    private func showReasons(of swap: Value) {
        guard case .list(let reasons)? = swap["reasons"] else { return }
        for reason in reasons {
            ErrorOutput.show(text(reason["message"]) ?? "", help: texts(reason["help"]))
        }
    }

    /// The text of a string; nil for any other value.
    func text(_ value: Value?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    /// The texts of a list.
    func texts(_ value: Value?) -> [String] {
        if case .list(let lines)? = value { lines.compactMap(text) } else { [] }
    }
}
