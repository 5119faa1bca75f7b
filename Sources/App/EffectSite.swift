import HostLoop
import Manifest
import PluginHost
import Records

/// One variant of a feedback in one running loop: its condition, its arguments, the call, and what becomes of the answer.
///
/// Used on the loop's executor only, one at a time.
final class EffectSite {
    let effect: EffectReference
    /// By the emitter's name; an effect that answers by returning has one without a name.
    let emissions: [String: EmissionSite]
    private let condition: Condition?
    private let failure: Condition?
    private let frame: ExpressionFrame
    private let makeCall: () -> PreparedCall
    private let returned: EmissionSite?
    // Safe because the site is used by one thread at a time.
    @safe @exclusivity(unchecked) private var arguments: ArgumentTable

    init(
        _ effect: EffectReference, _ variant: FeedbackVariant, of loop: LoopModel, frame: ExpressionFrame,
        makeCall: @escaping () -> PreparedCall
    ) {
        (self.effect, self.frame, self.makeCall) = (effect, frame, makeCall)
        (condition, failure) = (variant.condition, variant.failure)
        emissions = Dictionary(
            variant.batches.map { ($0.emitter ?? "", EmissionSite($0, of: loop)) },
            uniquingKeysWith: { first, _ in first })
        returned = emissions[""]
        arguments = ArgumentTable(variant.arguments, of: makeCall())
    }

    /// Whether the feedback runs at all for what the frame means now.
    func holds() throws(RunFault) -> Bool {
        guard let condition else { return true }
        return try condition.holds(frame)
    }

    /// Takes the arguments anew; true when one differs from the last.
    func updateArguments() throws(RunFault) -> Bool { try arguments.update(frame) }

    /// Calls an effect that answers by returning, and emits what the manifest makes of the answer.
    func run(_ run: Run<AppEvent>) throws(RunFault) {
        let call = arguments.call
        arguments.pointAtFields(frame)
        do { try call.invoke() } catch { throw RunFault(error, of: effect) }
        // Safe because the outcome lives as long as the call.
        unsafe frame.bind(.call, to: call.outcomeAddress)
        if let failure, try failure.holds(frame) { throw RunFault(failureOf: effect, outcomeText) }
        guard let returned else { return }
        if returned.isSingle {
            if let event = try returned.event(frame) { run.emit(event) }
        } else {
            run.emit(contentsOf: try returned.events(frame))
        }
    }

    /// Hands the call with its arguments over to a run that goes on after this returns; the next one gets memory of
    /// its own.
    func takeCall() -> PreparedCall {
        let taken = arguments.call
        arguments = arguments.copy(for: makeCall())
        return taken
    }

    private var outcomeText: String {
        let outcome = arguments.call.outcomeValue
        let result = outcome["result"].map { "it returned \($0.json)" } ?? "it returned"
        guard case .int(let number)? = outcome["errno"], number != 0 else { return result }
        return "\(result), errno \(number) (\(SystemError(number: Int32(number)).text))"
    }
}
