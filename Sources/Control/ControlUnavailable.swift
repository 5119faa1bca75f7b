/// The reason why a host cannot serve clients, or a client cannot reach its host.
public struct ControlUnavailable: Error, Hashable, Sendable {
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]

    /// A reason in words, with what to do.
    public init(_ message: String, help: [String] = []) { (self.message, self.help) = (message, help) }
}
