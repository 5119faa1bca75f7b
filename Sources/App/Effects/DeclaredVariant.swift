import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// One variant of a feedback in one running loop: its condition, its arguments, and the meaning of its answers.
// Safe because other threads read only constants. Only the loop's executor uses what a direct call needs.
@safe
final class DeclaredVariant: @unchecked Sendable {
    let model: FeedbackVariant
    /// Its place among the variants of the feedback.
    let index: Int
    /// The effect that is called; nil: none, a run only sends messages.
    let effect: EffectReference?
    let answers: AnswerMapping
    // Each direct call finds what it needs here, and walks through no other objects.
    private let condition: Condition?
    private let failure: Condition?
    private let returned: EmissionMapping?
    // The arguments of the next direct call; nil when runs keep their arguments.
    // Safe because only the loop's executor uses them.
    @safe @exclusivity(unchecked) private var arguments: ArgumentTable? {
        didSet { unsafe borrowed = arguments.map { unsafe .passUnretained($0) } }
    }
    // The same, without a counted reference for each use.
    // Safe because this object keeps it, and exchanges it only between uses.
    @safe @exclusivity(unchecked) private var borrowed: Unmanaged<ArgumentTable>?
    /// Where the arguments go that runs have used.
    // Safe because only the loop's executor exchanges it.
    @safe @exclusivity(unchecked) private(set) var spares = ArgumentPool()

    /// - Parameters:
    ///   - handles: where the pointers are kept that the effect opens.
    ///   - direct: what direct calls are made with; nil when runs keep their arguments.
    init(
        _ index: Int, of feedback: FeedbackModel, in loop: LoopContext, handles: OpenHandles?,
        direct: EffectSource?
    ) {
        model = feedback.variants[index]
        (self.index, effect, condition) = (index, feedback.effect, model.condition)
        answers = AnswerMapping(model, of: loop, handles: handles)
        (failure, returned) = (answers.failure, answers.returned)
        arguments = direct.map { [model] in ArgumentTable(model.arguments, of: $0) }
        unsafe borrowed = arguments.map { unsafe .passUnretained($0) }
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

    /// Calls the effect of another version of its plugin from now on, and keeps the last arguments.
    func use(_ source: EffectSource) {
        arguments = arguments?.copy(for: source)
        spares = ArgumentPool()
    }

    /// Takes the last arguments of a variant that is called directly, too.
    func takeArguments(of other: DeclaredVariant) {
        if let arguments, let others = other.arguments { arguments.takeValues(of: others) }
    }

    /// The version of its plugin's instance that is called.
    var version: UInt { arguments!.source.version }

    /// The last arguments, a record of `CallSignature.inputs`.
    var inputs: Record { arguments!.values }

    /// Evaluates the arguments; true when one differs from the last.
    @inline(__always)
    func updateArguments(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        unsafe try borrowed!.borrow { arguments throws(RunFault) in try arguments.update(frame) }
    }

    /// Calls an effect that answers by returning, and emits the events that the manifest makes of the answer.
    @inline(__always)
    func call(_ frame: ExpressionFrame, _ run: Run<AppEvent>) throws(RunFault) {
        unsafe try borrowed!.borrow { arguments throws(RunFault) in try arguments.invoke(frame) }
        if failure != nil, try failure!.holds(frame) { throw arguments!.failure }
        if returned != nil { try returned!.answer(frame, to: run) }
    }

    /// Lends the call and its arguments to a run that continues after the function has returned. The next call gets
    /// memory of its own.
    func lendArguments() -> ArgumentTable {
        let lent = arguments!
        if let spare = spares.take() {
            spare.takeValues(of: lent)
            arguments = spare
        } else {
            arguments = lent.copy(for: lent.source)
        }
        return lent
    }
}
