public import Diagnostics
import HostLoop
import Manifest

/// Something that went wrong while an app ran: which loop, at which step, in what, and why. The app goes on unless
/// its manifest says `on-fault = "stop"`.
public struct AppFault: Error, Sendable {
    /// The loop's name.
    public let loop: String
    /// The number of the state that the loop was in.
    public let step: UInt64
    /// What failed: `feedback:NAME`, `gear:GEAR.MESSAGE`, `reducer` or `until`.
    public let part: String
    /// What happened, with the place in the manifest where there is one.
    public let diagnostic: Diagnostic
}

extension AppFault {
    /// A fault of the engine in the terms of the manifest.
    init(_ fault: LoopFault, of loop: LoopModel) {
        let part =
            fault.source.feedback.map { "feedback:\($0)" } ?? (fault.source == .until ? "until" : "reducer")
        let feedback = loop.feedbacks.first { $0.name == fault.source.feedback }
        let failure = RunFault(
            fault.error, of: feedback?.effect, at: feedback?.variants.first?.each?.itemsSource.span)
        self.init(loop: loop.name, step: fault.step, part: part, diagnostic: failure.diagnostic)
    }
}
