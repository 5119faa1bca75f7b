public import Diagnostics

/// Something that went wrong while an app ran: which loop, at which step, in what, and why. The app goes on unless
/// its manifest says `on-fault = "stop"`.
public struct AppFault: Error, Sendable {
    /// The loop's name.
    public let loop: String
    /// The number of the state that the loop was in.
    public let step: UInt64
    /// What failed: `feedback:NAME`, `reducer` or `until`.
    public let part: String
    /// What happened, with the place in the manifest where there is one.
    public let diagnostic: Diagnostic
}
