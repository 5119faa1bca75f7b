import Diagnostics
import Expressions
import Interfaces
import Manifest
import Records

/// What a manifest says of a feedback, and what that means there: when two are equal, runs of one continue as runs of
/// the other.
///
/// What the manifest says is compared as it was read, so that no key can be forgotten. The rest is what the words
/// in it refer to, by names.
struct FeedbackDeclaration: Hashable {
    private struct Sending: Hashable {
        /// The event, or the message and its gear.
        let name: String
        let type: RecordType
    }

    private struct Variant: Hashable {
        let event: String?
        let stateCase: String?
        /// What counts as a failure, which the library may say.
        let failure: String?
        /// By emitter; that of a failure comes last.
        let batches: [[Sending]]
        let emitters: [String?]
    }

    private let name: String
    private let declared: DeclaredValue
    private let plugin: String?
    private let signature: CallSignature?
    private let handles: HandleUse?
    private let item: ValueType?
    private let variants: [Variant]
    /// The app's settings, if the feedback reads them.
    private let config: Record?

    init(_ feedback: FeedbackModel, of loop: LoopModel, in manifest: Manifest) {
        (name, declared) = (feedback.name, feedback.declared)
        if case .plugin(let index)? = feedback.effect?.provider {
            plugin = manifest.plugins[index].name
        } else {
            plugin = nil
        }
        (signature, handles) = (feedback.effect?.signature, feedback.effect?.handles)
        item = if case .each(let item) = feedback.trigger { item.type } else { nil }
        variants = feedback.variants.map { Self.variant($0, of: loop, in: manifest) }
        let readsConfig = feedback.variants.contains { $0.reads.contains(FrameSlot.config.rawValue) }
        config = readsConfig ? manifest.config : nil
    }

    private static func variant(
        _ variant: FeedbackVariant, of loop: LoopModel, in manifest: Manifest
    ) -> Variant {
        Variant(
            event: variant.event.map { loop.events[$0].name },
            stateCase: variant.case.map { loop.stateType.cases[$0].name },
            failure: variant.failure?.source.text,
            batches: variant.allBatches.map { batch in
                batch.emissions.map {
                    Sending(name: loop.events[$0.event].name, type: loop.events[$0.event].type)
                }
                    + batch.messages.map { message in
                        let gear = manifest.gears[message.gear]
                        let sent = gear.messages[message.message]
                        return Sending(name: "\(gear.name).\(sent.name)", type: sent.type)
                    }
            }, emitters: variant.allBatches.map(\.emitter))
    }
}
