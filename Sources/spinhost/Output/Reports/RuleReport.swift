import PluginCheck
import Records

/// The outcomes of the rules for a plugin, for people and for programs.
struct RuleReport {
    let seed: UInt64
    private var counts: [RuleOutcome.Status: Int] = [:]

    init(seed: UInt64) { self.seed = seed }

    /// True if a rule does not hold.
    var hasFailed: Bool { counts[.failed] != nil }

    mutating func count(_ outcome: RuleOutcome) { counts[outcome.status, default: 0] += 1 }

    /// The line of one outcome: `ok       RULE`, or another word with a message.
    func line(_ rule: CheckRule, _ member: String?, _ outcome: RuleOutcome) -> String {
        let word =
            switch outcome.status {
            case .passed: "ok"
            case .failed: "FAIL"
            case .skipped: "skipped"
            case .warning: "warning"
            }
        let padding = String(repeating: " ", count: 9 - word.count)
        let subject = rule.rawValue + (member.map { " of \($0)" } ?? "")
        return "\(word)\(padding)\(subject)" + (outcome.message.isEmpty ? "" : ": \(outcome.message)")
    }

    /// The record of one outcome.
    func json(_ rule: CheckRule, _ member: String?, _ outcome: RuleOutcome) -> Value {
        .record([
            ("rule", .string(rule.rawValue)), ("member", member.map { .string($0) } ?? .null),
            ("status", .string(outcome.status.rawValue)), ("message", .string(outcome.message)),
            ("seed", .uint(seed)),
        ])
    }

    /// `18 rules: 12 passed, 1 failed, 5 skipped; seed 7`.
    var summary: String {
        let kinds: [RuleOutcome.Status] = [.passed, .failed, .warning, .skipped]
        let parts = kinds.compactMap { status in
            counts[status].map { "\($0) \(status == .warning ? "with a warning" : status.rawValue)" }
        }
        let all = CountText.count(counts.values.reduce(0, +), "rule")
        return "\(all): \(parts.joined(separator: ", ")); seed \(seed)"
    }
}
