import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// One variant of a feedback in one running loop: its condition, its arguments, and the meaning of its
/// answers.
// Safe because other threads read only constants. Only the loop's executor uses `direct`.
@safe
final class DeclaredVariant: @unchecked Sendable {
    let model: FeedbackVariant
    /// Its place among the variants of the feedback.
    let index: Int
    /// The effect that is called; nil: none, a run only sends messages.
    let effect: EffectReference?
    let answers: AnswerMapping
    /// The calls of a feedback that is called directly; nil when runs keep their arguments.
    let direct: DirectCall?
    // Each direct call finds these here, and walks through no other objects.
    private let condition: Condition?
    private let failure: Condition?
    private let returned: EmissionMapping?

    /// - Parameters:
    ///   - handles: where the pointers are kept that the effect opens.
    ///   - source: the effect of direct calls; nil when runs keep their arguments.
    init(
        _ index: Int, of feedback: FeedbackModel, in loop: LoopContext, handles: OpenHandles?,
        direct source: EffectSource?
    ) {
        model = feedback.variants[index]
        (self.index, effect, condition) = (index, feedback.effect, model.condition)
        answers = AnswerMapping(model, of: loop, handles: handles)
        (failure, returned) = (answers.failure, answers.returned)
        direct = source.map { [model] in DirectCall(ArgumentTable(model.arguments, of: $0)) }
    }

    /// Whether the feedback runs at all for what the frame means.
    @inline(__always)
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        // A condition that is bound to a name is copied.
        guard condition != nil else { return true }
        return try condition!.holds(frame)
    }

    // MARK: - Requests that a run keeps

    /// The request that the frame makes. Used from any thread, with a frame of that thread.
    func request(_ frame: ExpressionFrame) -> RunRequest {
        do throws(RunFault) {
            guard let effect else { return .messages(try answers.returned?.messages(frame) ?? []) }
            return .arguments(try inputs(effect.signature.inputs, frame))
        } catch {
            return .failure(error)
        }
    }

    private func inputs(_ type: RecordType, _ frame: ExpressionFrame) throws(RunFault) -> Record {
        var inputs = Record(type)
        // Safe because every argument is written where the field of its type lies.
        let base = unsafe inputs.unsafeMutableBase()
        for argument in model.arguments {
            let field = type.fields[argument.input]
            switch argument.source {
            case .field(let source):
                unsafe ValueMemory.assign(
                    base + field.offset, from: frame.address(of: source.place), as: field.type)
            case .store: unsafe try argument.compute(frame, into: base + field.offset)
            }
        }
        return inputs
    }

    // MARK: - Direct calls, on the loop's executor

    /// Calls an effect that answers by returning, and emits the events that the manifest makes of the answer.
    @inline(__always)
    func call(_ frame: ExpressionFrame, _ run: Run<AppEvent>) throws(RunFault) {
        // An object that is bound to a name is counted.
        try direct!.invoke(frame)
        if failure != nil, try failure!.holds(frame) { throw direct!.failure }
        if returned != nil { try returned!.answer(frame, to: run) }
    }
}
