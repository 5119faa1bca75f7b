/// What came of trying a rule on a plugin.
public struct RuleOutcome: Hashable, Sendable {
    /// Whether the rule holds.
    public enum Status: String, Sendable {
        case passed
        case failed
        /// There is nothing to try it on.
        case skipped
        /// It holds, and something should be known.
        case warning
    }

    /// Whether it holds.
    public let status: Status
    /// What was found, or why nothing was tried; empty when it passed.
    public let message: String

    /// An outcome of any kind.
    public init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }

    /// The rule holds.
    public static let passed = RuleOutcome(.passed, "")

    /// The rule does not hold.
    public static func failed(_ message: String) -> RuleOutcome { RuleOutcome(.failed, message) }

    /// There is nothing to try it on.
    public static func skipped(_ reason: String) -> RuleOutcome { RuleOutcome(.skipped, reason) }

    /// Failed when there is something that is against the rule; each of it is said once.
    static func of(_ found: [String]) -> RuleOutcome {
        var said: [String] = []
        for text in found where !said.contains(text) { said.append(text) }
        // The first few tell enough.
        let rest = said.count > 3 ? "; and \(said.count - 3) more" : ""
        return said.isEmpty ? .passed : .failed(said.prefix(3).joined(separator: "; ") + rest)
    }
}
