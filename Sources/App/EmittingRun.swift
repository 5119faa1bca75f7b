import CPluginABI
import HostLoop
import Interfaces
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

    /// The call that is made now, and was made last.
    private struct Progress {
        var source: EffectSource
        var call: PreparedCall
        var token: CallToken?
        /// The call waits for another version of its plugin.
        var parked: ParkedCall?
    }

    private let origin: Origin
    private let answers: AnswerSite
    private let run: Run<AppEvent>
    private let scene: RunScene
    /// When it is to be over.
    private let due: LoopInstant?
    private let progress: Lock<Progress>

    private init(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, _ call: PreparedCall,
        _ scene: RunScene, _ timeout: Duration?
    ) {
        (self.origin, self.answers, self.run) = (origin, answers, run)
        self.scene = scene
        due = timeout.map { run.clock.now.advanced(by: $0) }
        progress = Lock(Progress(source: origin.source, call: call))
    }

    /// Calls the function with what the call has been given.
    ///
    /// - Parameter timeout: how long it may take, which the plugin can ask.
    static func begin(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, call: PreparedCall, scene: RunScene,
        timeout: Duration? = nil
    ) throws(RunFault) -> EffectStatus {
        try EmittingRun(origin, answers, run, call, scene, timeout).make(origin.source, call, isFirst: true)
    }

    private func make(
        _ source: EffectSource, _ call: PreparedCall, isFirst: Bool
    ) throws(RunFault) -> EffectStatus {
        let token = source.services.begin(
            self, for: source.image, effect: source.effect.name,
            timeout: due.map { run.clock.now.duration(to: $0) })
        call.setCall(token)
        progress.withLock { $0 = Progress(source: source, call: call, token: token) }
        if isFirst {
            run.onCancel { [self] in cancel() }
        } else if run.isCancelled {
            cancel()
            return .pending
        }
        // The gate of a queue closes at any time, and may have missed this call.
        if let seat = source.seat, seat.lane != nil, seat.isClosing, withdraw(to: seat) { return .pending }
        do { try call.invoke() } catch {
            cancelCall()
            throw RunFault(error, of: source.effect)
        }
        return .pending
    }

    private func cancel() {
        cancelCall()
        run.finish()
    }

    private func cancelCall() {
        let before = progress.withLock { progress in
            defer { progress.parked = nil }
            return progress
        }
        if let token = before.token { before.source.services.cancel(token) }
        before.parked?.leave()
    }

    /// The number of its run.
    var number: UInt64 { run.number }

    /// Takes the call back from the plugin, to be made anew when the gate of its instance opens; false when it is over, or is not
    /// called for what sits there.
    @discardableResult
    func withdraw(to seat: InstanceSeat) -> Bool {
        let before = progress.withLock { $0 }
        guard before.source.seat === seat, let token = before.token, before.source.services.takeBack(token)
        else { return false }
        let parked = ParkedCall(seat, run, before.source) { [self] source, _ in
            let call = source.makeCall()
            for field in source.effect.signature.inputs.fields.indices {
                // Safe because both are initialised values of the field's type, and the call before has been returned from.
                unsafe ValueMemory.assign(
                    call.inputAddress(field), from: UnsafeRawPointer(before.call.inputAddress(field)),
                    as: source.effect.signature.inputs.fields[field].type)
            }
            return try make(source, call, isFirst: false)
        }
        progress.withLock { ($0.token, $0.parked) = (nil, parked) }
        seat.park(back: parked)
        // Whoever cancelled it meanwhile may have seen neither.
        if run.isCancelled { cancel() }
        return true
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
