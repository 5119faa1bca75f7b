/// Why a host and its clients cannot come together.
public struct ControlUnavailable: Error, Hashable, Sendable {
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]

    init(_ message: String, help: [String] = []) { (self.message, self.help) = (message, help) }
}
