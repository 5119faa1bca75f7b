import Expressions
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
    /// What C gets when it calls a callback, in the order of `CallSignature.callbacks`.
    let callbacks: [DeclaredCallback]
    /// The calls of a feedback that is called directly; nil when runs keep their arguments.
    let direct: DirectCall?
    /// The arguments that read the key of their run.
    private let keyedArguments: [ArgumentModel]
    /// Whether an argument or a callback reads the key of its run.
    let usesRunKey: Bool
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
        callbacks = model.callbacks.compactMap { callback in
            feedback.effect.map { DeclaredCallback(callback, of: $0, in: loop) }
        }
        usesRunKey = model.usesRunKey
        keyedArguments = model.arguments.filter { $0.reads.contains(FrameSlot.run.rawValue) }
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

    /// The same request with the key that the frame has, in the arguments that read the key of their run.
    func request(_ request: RunRequest, keyed frame: ExpressionFrame) -> RunRequest {
        guard case .arguments(var inputs) = request else { return self.request(frame) }
        do throws(RunFault) {
            try store(keyedArguments, frame, in: &inputs)
            return .arguments(inputs)
        } catch {
            return .failure(error)
        }
    }

    private func inputs(_ type: RecordType, _ frame: ExpressionFrame) throws(RunFault) -> Record {
        var inputs = Record(type)
        try store(model.arguments, frame, in: &inputs)
        return inputs
    }

    private func store(
        _ arguments: [ArgumentModel], _ frame: ExpressionFrame, in inputs: inout Record
    ) throws(RunFault) {
        // Safe because every argument is written where the field of its type lies.
        let base = unsafe inputs.unsafeMutableBase()
        for argument in arguments {
            let field = inputs.type.fields[argument.input]
            switch argument.source {
            case .field(let source):
                unsafe ValueMemory.assign(
                    base + field.offset, from: frame.address(of: source.place), as: field.type)
            case .store: unsafe try argument.compute(frame, into: base + field.offset)
            }
        }
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
