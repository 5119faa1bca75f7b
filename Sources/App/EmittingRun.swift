import CPluginABI
import HostLoop
import Manifest
import PluginHost
import Records

/// A run of an effect that emits through `spin_call`: it may go on after the function has returned, on any
/// thread.
///
/// Keeps the arguments, and the state and event that the run began with, until it ends.
// Safe because the call's memory is only read once the run has begun, and everything else never changes.
final class EmittingRun: CallSink, @unchecked Sendable {
    /// What a run takes from its feedback.
    struct Origin: Sendable {
        var source: EffectSource
        let drops: DropCount
        /// Told of a fault of an emission, on any thread.
        let fault: @Sendable (RunFault) -> Void
    }

    private let origin: Origin
    private let answers: AnswerSite
    private let run: Run<AppEvent>
    private let call: PreparedCall
    private let scene: RunScene

    private init(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, _ call: PreparedCall, _ scene: RunScene
    ) {
        (self.origin, self.answers, self.run) = (origin, answers, run)
        (self.call, self.scene) = (call, scene)
    }

    /// Calls the function with what the call has been given.
    ///
    /// - Parameter timeout: how long it may take, which the plugin can ask.
    static func begin(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, call: PreparedCall, scene: RunScene,
        timeout: Duration? = nil
    ) throws(RunFault) -> EffectStatus {
        let source = origin.source
        let sink = EmittingRun(origin, answers, run, call, scene)
        let token = source.services.begin(
            sink, for: source.image, effect: source.effect.name, timeout: timeout)
        call.setCall(token)
        run.onCancel { [services = source.services] in
            services.cancel(token)
            run.finish()
        }
        do { try call.invoke() } catch {
            source.services.cancel(token)
            throw RunFault(error, of: source.effect)
        }
        return .pending
    }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        guard let emission = answers.emission(of: emitter) else {
            origin.drops.count()
            return run.isCancelled ? SPIN_CANCELLED : SPIN_OK
        }
        do throws(RunFault) {
            return try scene.evaluate { frame throws(RunFault) in
                // Safe because the payload is borrowed for the emission.
                unsafe frame.bind(.value, to: payload)
                return try emission.send(frame, to: run, wait: wait).status
            }
        } catch {
            // The batch is not sent; the run goes on.
            origin.fault(error)
            return SPIN_BAD_VALUE
        }
    }

    func rejected(emitter: String?, reason: String) {
        origin.fault(RunFault(emissionOf: origin.source.effect, emitter: emitter, reason))
    }

    func finished() { run.finish() }

    func failed(code: Int32, text: String) {
        run.fail(RunFault(failureOf: origin.source.effect, code: Int64(code), text: text))
    }
}

extension EmitResult {
    /// The answer that a plugin gets.
    var status: Int32 {
        switch self {
        case .queued: SPIN_OK
        case .full: SPIN_FULL
        case .cancelled: SPIN_CANCELLED
        case .stopped: SPIN_STOPPED
        }
    }
}
