import PluginCheck
import PluginHost
import Records

/// The output of a process that tries a rule: one JSON object per line. They are `begun`, then each call
/// before it is made, then the outcome.
struct RuleAnswers {
    private var hasBegun = false
    private var call: String?
    private var outcome: RuleOutcome?

    /// The process could not start, which is not the plugin's fault.
    struct NotBegun: Error {}

    /// The first line, before the process opens the plugin.
    static let begun = Value.record([("begun", .bool(true))]).json

    /// The line for a call.
    static func line(call: String) -> String { Value.record([("call", .string(call))]).json }

    /// The line for the outcome.
    static func line(_ outcome: RuleOutcome) -> String {
        Value.record([
            ("status", .string(outcome.status.rawValue)), ("message", .string(outcome.message)),
        ]).json
    }

    /// Reads the lines.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let value = try? Value(json: String(line)) else { continue }
            if value["begun"] != nil { hasBegun = true }
            if case .string(let call)? = value["call"] { self.call = call }
            if case .string(let word)? = value["status"], let status = RuleOutcome.Status(rawValue: word),
                case .string(let message)? = value["message"]
            {
                outcome = RuleOutcome(status, message)
            }
        }
    }

    /// The outcome of the rule.
    ///
    /// - Parameters:
    ///   - status: the status of the process, as from `wait`.
    ///   - errors: the output of the process and the plugin on stderr.
    ///   - limit: the time limit in seconds.
    /// - Throws: if the process could not start.
    func outcome(status: Int32, errors: String, limit: Int) throws(NotBegun) -> RuleOutcome {
        guard hasBegun else { throw NotBegun() }
        // `timeout` ends itself by the signal that has ended its command.
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        let during = call.map { "; the last call was `\($0)`" } ?? ""
        let lines = errors.split(separator: "\n")
        if signal == 0, code == 0, let outcome {
            // The plugin may have forked a child process, which the host has ended with this message.
            let child = lines.first {
                $0.hasPrefix("error: ") && $0.hasSuffix("a child calls `exec` or `_exit`")
            }
            return child.map { .failed(String($0.dropFirst(7))) } ?? outcome
        }
        if let report = lines.first(where: { $0.hasPrefix("fatal: ") }) {
            return .failed("\(report.dropFirst(7))\(during)")
        }
        if signal == 9 || code == 137 {
            return .failed("it does not end within \(CountText.count(limit, "second"))\(during)")
        }
        let number = signal > 0 ? signal : code - 128
        if number > 0 { return .failed("the process was ended by \(SignalName.name(number))\(during)") }
        return .failed("the process ended with exit code \(code) and without an outcome\(during)")
    }
}
