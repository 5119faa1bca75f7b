import Diagnostics
import Interfaces
import Manifest
import Records

/// All that a manifest says of a feedback, by names: when two are equal, runs of one go on as runs of the other.
struct FeedbackDeclaration: Hashable {
    private struct Sending: Hashable {
        /// The event, or the message and its gear.
        let name: String
        let type: RecordType
        /// The condition, and each field with its expression.
        let texts: [String?]
    }

    private struct Variant: Hashable {
        let event: String?
        let stateCase: String?
        /// Condition, failure, items and key.
        let texts: [String?]
        let arguments: [String]
        /// By emitter; that of a failure comes last.
        let batches: [[Sending]]
        let emitters: [String?]
    }

    private let name: String
    private let plugin: String?
    private let effect: String?
    private let signature: CallSignature?
    private let handles: HandleUse?
    private let trigger: String
    private let executor: FeedbackExecutor
    private let timing: FeedbackTiming
    private let variants: [Variant]
    /// The settings, if it reads any.
    private let config: Record?

    init(_ feedback: FeedbackModel, of loop: LoopModel, in manifest: Manifest) {
        name = feedback.name
        if case .plugin(let index)? = feedback.effect?.provider {
            plugin = manifest.plugins[index].name
        } else {
            plugin = nil
        }
        (effect, signature) = (feedback.effect?.name, feedback.effect?.signature)
        handles = feedback.effect?.handles
        trigger =
            switch feedback.trigger {
            case .change: "change"
            case .state(let strategy): "state \(strategy)"
            case .events(_, let strategy): "on \(strategy)"
            case .each(let item): "each \(item.type.name)"
            }
        (executor, timing) = (feedback.executor, feedback.timing)
        variants = feedback.variants.map { Self.variant($0, of: loop, in: manifest) }
        let readsConfig = variants.contains { variant in
            let sent = variant.batches.joined().flatMap(\.texts)
            return (variant.texts + variant.arguments + sent).contains { $0?.contains("config") ?? false }
        }
        config = readsConfig ? manifest.config : nil
    }

    private static func variant(
        _ variant: FeedbackVariant, of loop: LoopModel, in manifest: Manifest
    ) -> Variant {
        let batches = variant.batches + (variant.onError.map { [$0] } ?? [])
        return Variant(
            event: variant.event.map { loop.events[$0].name },
            stateCase: variant.case.map { loop.stateType.cases[$0].name },
            texts: [
                variant.condition?.source.text, variant.failure?.source.text, variant.each?.itemsSource.text,
                variant.each?.keySource.text,
            ], arguments: variant.arguments.map { "\($0.parameter) \($0.text.text)" },
            batches: batches.map { sendings($0, of: loop, in: manifest) }, emitters: batches.map(\.emitter))
    }

    private static func sendings(
        _ batch: EmissionBatch, of loop: LoopModel, in manifest: Manifest
    ) -> [Sending] {
        batch.emissions.map { emission in
            let event = loop.events[emission.event]
            return Sending(
                name: event.name, type: event.type, texts: texts(emission.condition, emission.assignments))
        }
            + batch.messages.map { message in
                let gear = manifest.gears[message.gear]
                let sent = gear.messages[message.message]
                return Sending(
                    name: "\(gear.name).\(sent.name)", type: sent.type,
                    texts: texts(message.condition, message.assignments))
            }
    }

    private static func texts(_ condition: Condition?, _ assignments: [Assignment]) -> [String?] {
        [condition?.source.text] + assignments.flatMap { [$0.name, $0.source.text] }
    }
}
