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
    final class Origin: Sendable {
        let source: EffectSource
        let drops: DropCount
        /// Told of a fault of an emission, on any thread.
        let fault: @Sendable (RunFault) -> Void

        init(source: EffectSource, drops: DropCount, fault: @escaping @Sendable (RunFault) -> Void) {
            (self.source, self.drops, self.fault) = (source, drops, fault)
        }

        /// The same of another source.
        convenience init(_ other: Origin, source: EffectSource) {
            self.init(source: source, drops: other.drops, fault: other.fault)
        }
    }

    /// What a call for an instance has besides: it may be made anew.
    private final class Seated: Sendable {
        /// The call that is made now, or was made last.
        struct Progress {
            var source: EffectSource
            var call: PreparedCall
            var token: CallToken?
            /// The call waits for another version of its plugin.
            var parked: ParkedCall?
        }

        let progress: Lock<Progress>
        /// When it is to be over.
        let due: LoopInstant?

        init(_ progress: Progress, due: LoopInstant?) {
            self.progress = Lock(progress)
            self.due = due
        }
    }

    private let origin: Origin
    private let answers: AnswerSite
    private let run: Run<AppEvent>
    private let call: PreparedCall
    private let scene: RunScene
    /// Nil when the effect is called for no instance.
    private let seated: Seated?
    /// Where the call comes from.
    private let lent: LentArguments?

    private init(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, _ call: PreparedCall,
        _ scene: RunScene, _ seated: Seated?, _ lent: LentArguments? = nil
    ) {
        (self.origin, self.answers, self.run) = (origin, answers, run)
        (self.call, self.scene, self.seated, self.lent) = (call, scene, seated, lent)
    }

    deinit { lent?.giveBack() }

    /// Calls the function with arguments that its feedback lends.
    static func begin(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, lent: LentArguments, scene: RunScene
    ) throws(RunFault) -> EffectStatus {
        let call = lent.table.call
        guard origin.source.seat == nil else {
            return try begin(origin, answers, run, call: call, scene: scene)
        }
        return try begin(EmittingRun(origin, answers, run, call, scene, nil, lent), nil)
    }

    /// Calls the function with what the call has been given.
    ///
    /// - Parameter timeout: how long it may take, which the plugin can ask.
    static func begin(
        _ origin: Origin, _ answers: AnswerSite, _ run: Run<AppEvent>, call: PreparedCall, scene: RunScene,
        timeout: Duration? = nil
    ) throws(RunFault) -> EffectStatus {
        let source = origin.source
        guard source.seat == nil else {
            let seated = Seated(
                Seated.Progress(source: source, call: call),
                due: timeout.map { run.clock.now.advanced(by: $0) })
            return try EmittingRun(origin, answers, run, call, scene, seated)
                .make(source, call, seated, isFirst: true)
        }
        return try begin(EmittingRun(origin, answers, run, call, scene, nil), timeout)
    }

    private static func begin(_ sink: EmittingRun, _ timeout: Duration?) throws(RunFault) -> EffectStatus {
        let (source, run, call) = (sink.origin.source, sink.run, sink.call)
        let token = try source.begin(sink, timeout)
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

    private func make(
        _ source: EffectSource, _ call: PreparedCall, _ seated: Seated, isFirst: Bool
    ) throws(RunFault) -> EffectStatus {
        let token = try source.begin(self, seated.due.map { run.clock.now.duration(to: $0) })
        call.setCall(token)
        seated.progress.withLock { $0 = Seated.Progress(source: source, call: call, token: token) }
        if isFirst {
            run.onCancel { [self] in cancel(seated) }
        } else if run.isCancelled {
            cancel(seated)
            return .pending
        }
        // The gate of a queue closes at any time, and may have missed this call.
        if let seat = source.seat, seat.lane != nil, seat.isClosing, withdraw(to: seat) { return .pending }
        do { try call.invoke() } catch {
            cancelCall(seated)
            throw RunFault(error, of: source.effect)
        }
        return .pending
    }

    private func cancel(_ seated: Seated) {
        cancelCall(seated)
        run.finish()
    }

    private func cancelCall(_ seated: Seated) {
        let before = seated.progress.withLock { progress in
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
        guard let seated else { return false }
        let before = seated.progress.withLock { $0 }
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
            return try make(source, call, seated, isFirst: false)
        }
        seated.progress.withLock { ($0.token, $0.parked) = (nil, parked) }
        seat.park(back: parked)
        // Whoever cancelled it meanwhile may have seen neither.
        if run.isCancelled { cancel(seated) }
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
        let fault = RunFault(emissionOf: origin.source.effect, emitter: emitter, reason)
        let image = seated?.progress.withLock { $0.source.image } ?? origin.source.image
        image.speakAgainst(fault.reason)
        origin.fault(fault)
    }

    func finished() { run.finish() }

    func failed(code: Int32, text: String) {
        run.fail(RunFault(failureOf: origin.source.effect, code: Int64(code), text: text))
    }
}

extension EffectSource {
    /// Begins a call that takes `spin_call *`, which may last for `timeout`.
    fileprivate func begin(_ sink: EmittingRun, _ timeout: Duration?) throws(RunFault) -> CallToken {
        do {
            return try services.begin(sink, for: image, effect: effect.name, timeout: timeout)
        } catch { throw RunFault(error, of: effect) }
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
