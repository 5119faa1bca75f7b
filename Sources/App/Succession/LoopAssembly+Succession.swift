import HostLoop
import Manifest
import Records

// How a loop continues a loop of the app before.
extension LoopAssembly {
    /// Takes over the feedbacks, the count of steps and what is watched from the loop before. Neither loop may be in a
    /// step.
    func succession(of place: LoopPredecessor) -> LoopSuccession<AppEvent> {
        let other = place.assembly
        steps.continueCount(of: other.steps)
        var feedbacks: [Int: Int] = [:]
        for (index, before) in other.parts.enumerated() {
            if let own = parts.firstIndex(where: { succeed(before, in: other, with: $0, place) }) {
                feedbacks[index] = own
            }
        }
        continued = feedbacks
        if let watch, let before = other.watch { watch.succeed(before, continuing: feedbacks) }
        let carry = EventCarry(
            from: other.model, of: other.manifest, to: model, of: manifest,
            addressesStayValid: place.addressesStayValid)
        return LoopSuccession(feedbacks: feedbacks) { carry.event($0) }
    }

    /// Takes over the runs of one part, if it is declared in the same way.
    ///
    /// - Returns: whether the runs continue.
    private func succeed(
        _ before: LoopPart, in other: LoopAssembly, with part: LoopPart, _ place: LoopPredecessor
    ) -> Bool {
        switch (before.kind, part.kind) {
        case (.declared(let its), .declared(let own)):
            guard continues(its.model, of: other, as: own.model) else { return false }
            own.succeed(its, place.loop.state, place.state, message: place.message)
            return true
        case (.delay(let its), .delay(let own)): return own.succeed(its)
        default: return false
        }
    }

    /// Whether runs of a feedback continue: both manifests declare it in the same way, and it calls the same
    /// library.
    private func continues(_ was: FeedbackModel, of other: LoopAssembly, as now: FeedbackModel) -> Bool {
        guard was.name == now.name,
            FeedbackDeclaration(was, of: other.model, in: other.manifest)
                == FeedbackDeclaration(now, of: model, in: manifest)
        else { return false }
        guard let before = was.effect, let effect = now.effect else { return true }
        guard case .plugin = effect.provider else { return true }
        let (its, own) = (other.plugins.plugin(before.provider), plugins.plugin(effect.provider))
        guard let its, let own, its.image === own.image else { return false }
        guard effect.takesInstance else { return true }
        return other.instances.slot(for: before, loop: other.index)
            === instances.slot(for: effect, loop: index)
    }
}
