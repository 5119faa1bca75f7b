import HostLoop
import Manifest
import PluginHost
import Records

/// One variant of a feedback in one running loop: its condition, its arguments, the call, and what becomes of the answer.
///
/// Used on the loop's executor only, one at a time.
@safe
final class EffectSite {
    let answers: AnswerSite
    /// What runs that have to wait are made with; nil when none has to.
    @safe @exclusivity(unchecked) private(set) var apart: ApartSite?
    // What each call needs is kept here too, so that none walks through the objects that it comes from.
    private let condition: Condition?
    private let failure: Condition?
    private let returned: EmissionSite?
    private let frame: ExpressionFrame
    // Safe because the site is used by one thread at a time.
    @safe @exclusivity(unchecked) private var source: EffectSource
    @safe @exclusivity(unchecked) private var arguments: ArgumentTable {
        didSet { unsafe borrowed = .passUnretained(arguments) }
    }
    // The same, without a counted reference for each use.
    // Safe because the site keeps it, and takes another one only between uses.
    @safe @exclusivity(unchecked) private var borrowed: Unmanaged<ArgumentTable>
    // Safe because of the same.
    @safe @exclusivity(unchecked) private var spares = SpareArguments()

    init(
        _ variant: FeedbackVariant, of loop: LoopParts, source: EffectSource, apart: ApartSite? = nil
    ) {
        self.apart = apart
        (condition, frame, self.source) = (variant.condition, loop.frame, source)
        answers = AnswerSite(variant, of: loop)
        (failure, returned) = (answers.failure, answers.returned)
        arguments = ArgumentTable(variant.arguments, of: source.makeCall(), to: source.effect)
        unsafe borrowed = .passUnretained(arguments)
    }

    /// Calls the effect of another version of its plugin from now on, with the arguments of the last call to compare with.
    func use(_ origin: EmittingRun.Origin) {
        source = origin.source
        apart = apart.map { ApartSite($0, calling: .plugin(origin)) }
        arguments = arguments.copy(for: source.makeCall())
        spares = SpareArguments()
    }

    /// Goes on with the arguments of another one to compare with.
    func takePlace(of other: EffectSite) {
        arguments.takeValues(of: other.arguments)
    }

    /// Whether the feedback runs at all for what the frame means now.
    @inline(__always)
    func holds() throws(RunFault) -> Bool {
        // What is bound to a name is copied.
        guard condition != nil else { return true }
        return try condition!.holds(frame)
    }

    /// Takes the arguments anew; true when one differs from the last.
    @inline(__always)
    func updateArguments() throws(RunFault) -> Bool {
        unsafe try borrowed.borrow { arguments throws(RunFault) in try arguments.update(frame) }
    }

    /// Calls an effect that answers by returning, and emits what the manifest makes of the answer.
    @inline(__always)
    func run(_ run: Run<AppEvent>) throws(RunFault) {
        unsafe try borrowed.borrow { arguments throws(RunFault) in try arguments.invoke(frame) }
        if failure != nil, try failure!.holds(frame) { throw arguments.call.failure(of: source.effect) }
        if returned != nil { try returned!.answer(frame, to: run) }
    }

    /// The last arguments, a record of `CallSignature.inputs`.
    var inputs: Record { arguments.values }

    /// Hands the call with its arguments over to a run that goes on after this returns; the next one gets memory of
    /// its own.
    func lendArguments() -> LentArguments {
        // What a call has opened is held until it is made again.
        let lent = LentArguments(arguments, to: source.openedHandles == nil ? spares : nil)
        if let spare = spares.take() {
            spare.takePlace(of: arguments)
            arguments = spare
        } else {
            arguments = arguments.copy(for: source.makeCall())
        }
        return lent
    }
}
