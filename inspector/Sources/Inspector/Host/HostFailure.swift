/// Why the host does not answer.
struct HostFailure: Error, Equatable, Sendable {
    /// `no-host`, `other-version` or `no-answer`.
    let code: String
    let message: String

    static func noHost(_ message: String) -> HostFailure { HostFailure(code: "no-host", message: message) }

    static let noAnswer = HostFailure(code: "no-answer", message: "the host does not answer")

    static let ended = HostFailure(code: "no-host", message: "the host has ended the connection")
}
