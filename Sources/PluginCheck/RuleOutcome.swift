/// The outcome of trying a rule on a plugin.
public struct RuleOutcome: Hashable, Sendable {
    /// The kind of an outcome.
    public enum Status: String, Sendable {
        case passed
        case failed
        /// The rule could not be tried.
        case skipped
        /// The rule holds, but the user should know of something.
        case warning
    }

    /// The kind of the outcome.
    public let status: Status
    /// The finding, or the reason why the rule was not tried; empty for a passed rule.
    public let message: String

    /// An outcome of any kind.
    public init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }

    /// The rule holds.
    public static let passed = RuleOutcome(.passed, "")

    /// The rule does not hold.
    public static func failed(_ message: String) -> RuleOutcome { RuleOutcome(.failed, message) }

    /// The rule could not be tried.
    public static func skipped(_ reason: String) -> RuleOutcome { RuleOutcome(.skipped, reason) }

    /// Failed if there are findings. The message has the first three different findings.
    static func of(_ findings: [String]) -> RuleOutcome {
        var unique: [String] = []
        for text in findings where !unique.contains(text) { unique.append(text) }
        let rest = unique.count > 3 ? "; and \(unique.count - 3) more" : ""
        return unique.isEmpty ? .passed : .failed(unique.prefix(3).joined(separator: "; ") + rest)
    }
}
