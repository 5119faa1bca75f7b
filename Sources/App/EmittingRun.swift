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
    private let site: EffectSite
    private let run: Run<AppEvent>
    private let call: PreparedCall
    private let (state, event, config): (Record, Record?, Record)
    private let fault: @Sendable (RunFault) -> Void

    init(
        _ site: EffectSite, _ run: Run<AppEvent>, call: PreparedCall, state: Record, event: Record?,
        config: Record,
        fault: @escaping @Sendable (RunFault) -> Void
    ) {
        (self.site, self.run, self.call) = (site, run, call)
        (self.state, self.event, self.config) = (state, event, config)
        self.fault = fault
    }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        guard let emissions = site.emissions[emitter] else {
            return run.isCancelled ? SPIN_CANCELLED : SPIN_OK
        }
        do throws(RunFault) {
            let events = unsafe try events(of: emissions, payload: payload)
            guard !events.isEmpty else { return SPIN_OK }
            return switch wait {
            case .none: run.emit(contentsOf: events).status
            case .upTo(let limit): run.emit(contentsOf: events, waiting: limit).status
            }
        } catch {
            // The batch is not sent; the run goes on.
            fault(error)
            return SPIN_BAD_VALUE
        }
    }

    func rejected(emitter: String?, reason: String) {
        fault(RunFault(emissionOf: site.effect, emitter: emitter, reason))
    }

    private func events(of emissions: EmissionSite, payload: UnsafeRawPointer) throws(RunFault) -> [AppEvent]
    {
        let frame = ExpressionFrame(config: config)
        // Safe because the records are kept by this run, and the payload is borrowed for the emission.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.unsafeBase)
        unsafe frame.bind(.value, to: payload)
        frame.takeTime()
        return try emissions.events(frame)
    }

    func finished() { run.finish() }

    func failed(code: Int32, text: String) {
        run.fail(RunFault(failureOf: site.effect, text.isEmpty ? "code \(code)" : text))
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
