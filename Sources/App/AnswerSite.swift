import Manifest
import PluginHost

/// What becomes of the answers of one variant of a feedback, made ready; safe to use from several threads.
final class AnswerSite: Sendable {
    /// The call has failed when this holds.
    let failure: Condition?
    /// For an effect that answers by returning, and for no effect.
    let returned: EmissionSite?
    /// For a failure; nil: it is a fault.
    let failed: EmissionSite?
    private let emitted: [String: EmissionSite]

    /// - Parameter handles: where pointers are kept that the call opens.
    init(_ variant: FeedbackVariant, of loop: LoopParts, handles: OpenHandles? = nil) {
        failure = variant.failure
        failed = variant.onError.map { EmissionSite($0, of: loop) }
        var emitted: [String: EmissionSite] = [:]
        var returned: EmissionSite?
        for batch in variant.batches {
            let site = EmissionSite(batch, of: loop, handles: handles)
            if let emitter = batch.emitter { emitted[emitter] = site } else { returned = site }
        }
        (self.emitted, self.returned) = (emitted, returned)
    }

    /// For an emission of an effect; nil: nobody wants it.
    func emission(of emitter: String) -> EmissionSite? { emitted[emitter] }
}
