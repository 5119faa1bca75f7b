public import Diagnostics
import HostLoop
public import Manifest

/// Something that went wrong while an app ran, as observers see it. The app continues unless its manifest
/// says `on-fault = "stop"`.
public struct AppFault: Sendable {
    /// The loop's name.
    public let loop: String
    /// The key of the instance; nil for a loop without a key.
    public var key: LoopKey? = nil
    /// The number of the state that the loop was in.
    public let step: UInt64
    /// The part that failed: `feedback:NAME`, `gear:GEAR.MESSAGE`, `reducer` or `until`.
    public let part: String
    /// The failure, with its place in the manifest if it has one.
    public let diagnostic: Diagnostic
}

extension AppFault {
    /// A fault in the terms of the manifest.
    init(_ fault: RunFault, loop: String, key: LoopKey? = nil, step: UInt64, part: String) {
        self.init(loop: loop, key: key, step: step, part: part, diagnostic: fault.diagnostic)
    }

    /// A fault of the engine in the terms of the manifest.
    init(_ fault: LoopFault, in loop: LoopModel, key: LoopKey? = nil) {
        let feedback = loop.feedbacks.first { $0.name == fault.source.feedback }
        self.init(
            RunFault(fault.error, of: feedback?.effect, at: feedback?.variants.first?.each?.itemsSource.span),
            loop: loop.name, key: key, step: fault.step,
            part: fault.source.feedback.map { "feedback:\($0)" }
                ?? (fault.source == .until ? "until" : "reducer"))
    }
}
