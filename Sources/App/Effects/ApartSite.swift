import Expressions
import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// One variant of a feedback whose runs keep what they need: what they are asked for, and what becomes of them.
///
/// Never changes; used from any thread, with a frame that only that thread uses.
final class ApartSite: Sendable {
    /// What a run calls.
    enum Callee: Sendable {
        /// Nothing: it only sends messages.
        case nothing
        /// An effect of a plugin.
        case plugin(EmittingRun.Origin)
        /// What a test has in place of an effect.
        case standIn(StandInSite)

        /// The effect that is called, or is not.
        var effect: EffectReference? {
            switch self {
            case .nothing: nil
            case .plugin(let origin): origin.source.effect
            case .standIn(let standIn): standIn.effect
            }
        }

        /// What a timeout of its calls goes by, which may call a function of the plugin; nil: the loop's clock.
        var timer: (any LoopClock)? {
            if case .plugin(let origin) = self { origin.source.services.clock } else { nil }
        }

        /// Where the pointers that it opens are kept; nil when it opens none that somebody closes.
        var openedHandles: OpenHandles? {
            if case .plugin(let origin) = self { origin.source.openedHandles } else { nil }
        }
    }

    let variant: FeedbackVariant
    let answers: AnswerSite
    let callee: Callee

    init(_ variant: FeedbackVariant, of loop: LoopParts, _ callee: Callee) {
        (self.variant, self.callee) = (variant, callee)
        answers = AnswerSite(variant, of: loop, handles: callee.openedHandles)
    }

    /// The same, calling the effect of another version of its plugin.
    init(_ other: ApartSite, calling callee: Callee) {
        (variant, answers, self.callee) = (other.variant, other.answers, callee)
    }

    /// Whether the feedback runs at all for what the frame means.
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        guard let condition = variant.condition else { return true }
        return try condition.holds(frame)
    }

    /// What a run is asked for by what the frame means.
    func request(_ frame: ExpressionFrame) -> RunRequest {
        do throws(RunFault) {
            guard let effect = callee.effect else {
                return .messages(try answers.returned?.messages(frame) ?? [])
            }
            return .arguments(try inputs(effect, frame))
        } catch {
            return .failure(error)
        }
    }

    private func inputs(
        _ effect: EffectReference, _ frame: ExpressionFrame
    ) throws(RunFault) -> Record {
        var inputs = Record(effect.signature.inputs)
        // Safe because every argument is written where the field of its type lies.
        let base = unsafe inputs.unsafeMutableBase()
        for argument in variant.arguments {
            let field = effect.signature.inputs.fields[argument.input]
            switch argument.source {
            case .field(let source):
                unsafe ValueMemory.assign(
                    base + field.offset, from: frame.address(of: source.place), as: field.type)
            case .store(let store):
                do { unsafe try store.evaluate(frame.frame, into: base + field.offset) } catch {
                    throw RunFault(error, in: argument.text)
                }
            }
        }
        return inputs
    }
}

/// What a run is asked for; equal requests are one.
enum RunRequest: Equatable, Sendable {
    /// To call the effect with these, a record of `CallSignature.inputs`.
    case arguments(Record)
    /// To send these.
    case messages([AppMessage])
    /// Nothing, as the arguments have no value: the run fails.
    case failure(RunFault)
}
