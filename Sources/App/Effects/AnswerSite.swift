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
    // An effect has few emitters: to look at each costs less than to hash a name.
    private let emitted: [(emitter: String, site: EmissionSite)]

    /// - Parameter handles: where pointers are kept that the call opens.
    init(_ variant: FeedbackVariant, of loop: LoopParts, handles: OpenHandles? = nil) {
        failure = variant.failure
        failed = variant.onError.map { EmissionSite($0, of: loop) }
        var emitted: [(emitter: String, site: EmissionSite)] = []
        var returned: EmissionSite?
        for batch in variant.batches {
            let site = EmissionSite(batch, of: loop, handles: handles)
            if let emitter = batch.emitter { emitted.append((emitter, site)) } else { returned = site }
        }
        (self.emitted, self.returned) = (emitted, returned)
    }

    /// For an emission of an effect; nil: nobody wants it.
    func emission(of emitter: String) -> EmissionSite? {
        emitted.first { $0.emitter == emitter }?.site
    }
}
