import ArgumentParser
import Control
import Records

/// How `send`, `state` and `swap` say what did not work: for people on stderr, with `--json` as the answer that it is on stdout.
struct ControlReport {
    let output: CommandOutput
    let isJSON: Bool

    /// Says why the app cannot be reached; the exit code.
    func refuse(_ error: ControlUnavailable) -> ExitCode {
        refuse("unavailable", error.message, error.help)
        return ExitStatus.unavailable
    }

    /// The answer when it is one that something was done.
    ///
    /// - Throws: an exit code, after the reason was printed.
    func done(_ answer: Value) throws -> Value {
        guard case .bool(false)? = answer["ok"] else { return answer }
        throw refuse(answer)
    }

    /// Says the error that the app has told; the exit code.
    func refuse(_ answer: Value) -> ExitCode {
        let error = answer["error"]
        let code = text(error?["code"]) ?? ""
        refuse(code, text(error?["message"]) ?? "the app refuses", texts(error?["help"]))
        let isUnavailable = [ControlFault.Code.notBegun, .tooManyClients, .notPermitted]
            .contains { $0.rawValue == code }
        return isUnavailable ? ExitStatus.unavailable : ExitStatus.usage
    }

    private func refuse(_ code: String, _ message: String, _ help: [String]) {
        guard isJSON else { return ErrorOutput.show(message, help: help) }
        var error: [(String, Value)] = [("code", .string(code)), ("message", .string(message))]
        if !help.isEmpty { error.append(("help", .list(help.map(Value.string)))) }
        try? output.line(Value.record([("ok", .bool(false)), ("error", .record(error))]).json)
    }

    /// The value if it is a text.
    func text(_ value: Value?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    /// The texts of a list.
    func texts(_ value: Value?) -> [String] {
        if case .list(let lines)? = value { lines.compactMap(text) } else { [] }
    }
}
