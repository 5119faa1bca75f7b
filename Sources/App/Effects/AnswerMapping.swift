import HostLoop
import Manifest
import PluginHost
import Records

/// The events and messages that the manifest makes of the answers of an effect: for each emitter, for the
/// result, and for a failure. Used from any thread.
final class AnswerMapping: Sendable {
    /// The call has failed when this holds.
    let failure: Condition?
    /// For the answer of an effect that returns, and for a feedback without an effect.
    let returned: EmissionMapping?
    /// For a failure; nil: it is a fault.
    let failed: EmissionMapping?
    // An effect has few emitters: to look at each costs less than to hash a name.
    private let emitted: [(emitter: String, mapping: EmissionMapping)]

    /// - Parameter handles: where the pointers are kept that the effect opens; nil when it opens none.
    init(_ variant: FeedbackVariant, of loop: LoopContext, handles: OpenHandles?) {
        failure = variant.failure
        failed = variant.onError.map { EmissionMapping($0, of: loop) }
        var emitted: [(emitter: String, mapping: EmissionMapping)] = []
        var returned: EmissionMapping?
        for batch in variant.batches {
            let mapping = EmissionMapping(batch, of: loop, handles: handles)
            if let emitter = batch.emitter { emitted.append((emitter, mapping)) } else { returned = mapping }
        }
        (self.emitted, self.returned) = (emitted, returned)
    }

    /// Sends what the manifest makes of the outcome of a call, which the frame means.
    ///
    /// - Throws: the failure that the outcome is by the manifest's test.
    func answer(
        _ frame: ExpressionFrame, _ outcome: @autoclosure () -> Value, of effect: EffectReference,
        to run: Run<AppEvent>, in state: Record, _ reporter: RunReporter
    ) throws(RunFault) {
        if let failure, try failure.holds(frame) { throw RunFault(outcome: outcome(), of: effect) }
        send(returned, frame, run, in: state, reporter)
    }

    /// Sends what the manifest makes of an answer to a run that began in a state.
    func send(
        _ emission: EmissionMapping?, _ frame: ExpressionFrame, _ run: Run<AppEvent>, in state: Record,
        _ reporter: RunReporter
    ) {
        do throws(RunFault) { _ = try emission?.send(frame, to: run) } catch {
            // The batch is not sent; the run did not fail.
            reporter.faulted(error, in: state)
        }
    }

    /// For an emission of an effect; nil when the manifest does not mention the emitter.
    func emission(of emitter: String) -> EmissionMapping? {
        emitted.first { $0.emitter == emitter }?.mapping
    }
}
