import PluginCheck
import Records

/// What the process of a rule says on its stdout, a JSON object per line: that it has begun, each call before it is made, and
/// the outcome.
struct RuleAnswers {
    private var hasBegun = false
    private var call: String?
    private var outcome: RuleOutcome?

    /// The process could not begin, for which the plugin cannot be blamed.
    struct NotBegun: Error {}

    /// The first line, before anything of the plugin is touched.
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

    /// What came of the rule.
    ///
    /// - Parameters:
    ///   - status: how the process ended, as `wait` has it.
    ///   - errors: what it and the plugin printed on stderr.
    ///   - limit: how long it might take, in seconds.
    /// - Throws: when it did not begin.
    func outcome(status: Int32, errors: String, limit: Int) throws(NotBegun) -> RuleOutcome {
        guard hasBegun else { throw NotBegun() }
        // A signal ends `timeout` as it ended what it ran.
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        let during = call.map { "; the last call was `\($0)`" } ?? ""
        let lines = errors.split(separator: "\n")
        if signal == 0, code == 0, let outcome {
            // A child of the process, which the host has ended.
            let child = lines.first {
                $0.hasPrefix("error: ") && $0.hasSuffix("a child calls `exec` or `_exit`")
            }
            return child.map { .failed(String($0.dropFirst(7))) } ?? outcome
        }
        if let report = lines.first(where: { $0.hasPrefix("fatal: ") }) {
            return .failed("\(report.dropFirst(7))\(during)")
        }
        if signal == 9 || code == 137 {
            return .failed("it does not come to an end within \(CountText.count(limit, "second"))\(during)")
        }
        let number = signal > 0 ? signal : code - 128
        if number > 0 { return .failed("the process was ended by \(SignalName.name(number))\(during)") }
        return .failed("the process ended with exit code \(code), and without an answer\(during)")
    }
}
