import CPluginABI
import Dispatch
import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records
import Synchronization

/// A run that may continue after the call has begun, on any thread: of an effect that emits through `spin_call`, and of
/// any effect of a plugin in another process.
///
/// Until it has ended and the function has returned, it keeps its arguments and the memory of its calls, and the state
/// and event that it began with.
// Safe because the call's memory is only read once the run has begun, and everything else never changes.
final class LastingRun: CallSink, @unchecked Sendable {
    /// What a run for an instance has besides: a swap may make its call again, with another version.
    private final class Renewal: Sendable {
        /// The current call, or the last one.
        struct Progress {
            var source: EffectSource
            var call: PreparedCall
            var token: CallToken?
            /// The call waits for another version of its plugin.
            var parked: ParkedCall?
        }

        let progress: Lock<Progress>
        /// The deadline of the run.
        let due: LoopInstant?

        init(_ progress: Progress, due: LoopInstant?) {
            self.progress = Lock(progress)
            self.due = due
        }
    }

    private let source: EffectSource
    private let call: PreparedCall
    private let answers: AnswerMapping
    private let run: Run<AppEvent>
    private let scope: RunScope
    /// For the next emission.
    private let spareFrame = SpareFrame()
    private let reporter: RunReporter
    private let keys: RunKeys
    private let timeout: Duration?
    /// Tells which calls another process makes one at a time; see `RemoteFunction.begin`.
    private let lane: UInt64
    /// The call in another process whose function has not returned.
    private let flight = Lock<CallToken?>(nil)
    /// Counts the calls of the feedback's run; nil if it makes only one.
    private let calls: CallCount?
    /// Nil when the effect is called for no instance.
    private let renewal: Renewal?
    /// The number of events of the last emission that the mailbox had no room for.
    private let refused = Atomic(1)
    /// What waits for the return of the function in another process.
    private let whenReturned = Lock<[@Sendable () -> Void]>([])
    /// The memory of its calls that have ended.
    private let arenas = Lock<[CallArena]>([])
    /// The arguments that its feedback has lent it, and where they go at its end.
    private let lent: (arguments: ArgumentTable, pool: ArgumentPool)?

    /// A run that makes `call`, whose inputs are set.
    ///
    /// - Parameters:
    ///   - timeout: how long it may take; the plugin can ask for it.
    ///   - calls: counts the calls of the feedback's run, if `retry` may make it again.
    ///   - lane: tells which calls another process makes one at a time.
    init(
        _ source: EffectSource, _ call: PreparedCall, _ answers: AnswerMapping, _ run: Run<AppEvent>,
        _ scope: RunScope, _ reporter: RunReporter, _ keys: RunKeys, timeout: Duration? = nil,
        calls: CallCount? = nil, lane: UInt64 = 0, lent: (ArgumentTable, ArgumentPool)? = nil
    ) {
        self.lane = lane
        (self.source, self.call, self.answers, self.run) = (source, call, answers, run)
        (self.scope, self.reporter, self.keys, self.timeout) = (scope, reporter, keys, timeout)
        let renewal =
            source.slot == nil
            ? nil
            : Renewal(
                Renewal.Progress(source: source, call: call),
                due: timeout.map { run.clock.now.advanced(by: $0) })
        self.renewal = renewal
        self.calls = calls ?? (renewal == nil ? nil : CallCount())
        // The call of an instance is made again with the inputs of the last one.
        self.lent = renewal == nil ? lent : nil
    }

    deinit { if let lent { lent.pool.add(lent.arguments) } }

    /// Calls the function.
    func begin() throws(RunFault) -> EffectStatus {
        if let renewal { return try make(source, call, renewal, isFirst: true) }
        let token = try source.begin(self, timeout)
        // Another process gives its own token to the function.
        if call.isRemote { flight.exchange(token) } else { call.setCall(token) }
        run.onCancel { [self] in
            source.services.cancel(token)
            finishUnlessInFlight()
        }
        calls?.add()
        try start(call, token, source)
        return .pending
    }

    private func start(_ call: PreparedCall, _ token: CallToken, _ source: EffectSource) throws(RunFault) {
        do { try call.start(token, self, lane: lane) } catch {
            flight.exchange(nil)
            hasReturned()
            source.services.cancel(token)
            throw RunFault(error, at: source.effect.span)
        }
    }

    /// The run is cancelled. It is over at once, or when the function returns that another process runs.
    private func finishUnlessInFlight() {
        if flight.withLock({ $0 == nil }) { run.finish() }
    }

    private func make(
        _ source: EffectSource, _ call: PreparedCall, _ renewal: Renewal, isFirst: Bool
    ) throws(RunFault) -> EffectStatus {
        let token = try source.begin(self, renewal.due.map { run.clock.now.duration(to: $0) })
        if call.isRemote { flight.exchange(token) } else { call.setCall(token) }
        renewal.progress.withLock { $0 = Renewal.Progress(source: source, call: call, token: token) }
        if isFirst {
            run.onCancel { [self] in cancel(renewal) }
        } else if run.isCancelled {
            cancel(renewal)
            return .pending
        }
        // The gate of a queue closes at any time, and may have missed this call.
        if let slot = source.slot, slot.sharedExecutor != nil, slot.isClosing,
            takeBack(from: renewal, to: slot)
        {
            // No process has got it.
            flight.withLock { if $0 == token { $0 = nil } }
            hasReturned()
            if run.isCancelled { cancel(renewal) }
            return .pending
        }
        calls?.add()
        do { try start(call, token, source) } catch {
            cancelCall(renewal)
            throw error
        }
        return .pending
    }

    private func cancel(_ renewal: Renewal) {
        cancelCall(renewal)
        finishUnlessInFlight()
    }

    private func cancelCall(_ renewal: Renewal) {
        let before = renewal.progress.withLock { progress in
            defer { progress.parked = nil }
            return progress
        }
        if let token = before.token { before.source.services.cancel(token) }
        before.parked?.leave()
    }

    var key: String? { keys.key(ofRun: scope.number ?? run.number) }

    var attempt: UInt32 { calls?.value ?? 1 }

    /// The number of its run.
    var number: UInt64 { run.number }

    /// Takes the call back from the plugin. It is made again when the gate of its instance opens.
    ///
    /// - Returns: false when the call is over, or is not for this instance.
    @discardableResult
    func withdraw(to slot: InstanceSlot) -> Bool {
        guard let renewal else { return false }
        // An effect that answers by returning has done its work then, so the call is not made again.
        guard source.effect.isEmitting else { return waitForReturn() }
        return takeBack(from: renewal, to: slot)
    }

    /// Takes the call back, which waits for the gate of its instance from then on.
    private func takeBack(from renewal: Renewal, to slot: InstanceSlot) -> Bool {
        let before = renewal.progress.withLock { $0 }
        guard before.source.slot === slot, let token = before.token, before.source.services.takeBack(token)
        else { return false }
        let parked = ParkedCall(slot, run, before.source) { [self] source, _ in
            let call = source.makeCall()
            // The call before has returned, so that its inputs can be read.
            call.setInputs(of: before.call)
            if let callbacks = before.call.callbackSink { call.setCallbacks(callbacks) }
            return try make(source, call, renewal, isFirst: false)
        }
        renewal.progress.withLock { ($0.token, $0.parked) = (nil, parked) }
        slot.park(back: parked)
        // A cancellation meanwhile may have seen neither the token nor the parked call.
        if run.isCancelled { cancel(renewal) }
        return true
    }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        guard let emission = answers.emission(of: emitter) else {
            reporter.dropped()
            return run.isCancelled ? SPIN_CANCELLED : SPIN_OK
        }
        do throws(RunFault) {
            return try scope.evaluate(with: spareFrame) { frame throws(RunFault) in
                // Safe because the payload is borrowed for the emission.
                unsafe frame.bind(.value, to: payload)
                let sent = try emission.send(frame, to: run, wait: wait)
                if sent.result == .full { refused.store(sent.count, ordering: .relaxed) }
                return sent.result.status
            }
        } catch {
            // The batch is not sent; the run continues.
            reporter.faulted(error, in: scope.state)
            return SPIN_BAD_VALUE
        }
    }

    func rejected(emitter: String?, reason: String) {
        let fault = RunFault(emissionOf: source.effect, emitter: emitter, reason)
        let image = renewal?.progress.withLock { $0.source.image } ?? source.image
        image.failProbation(fault.reason)
        reporter.faulted(fault, in: scope.state)
    }

    func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation? {
        let weight = refused.load(ordering: .relaxed)
        return run.canHold(weight) ? run.whenRoom(for: weight, body) : nil
    }

    func isArgument(_ data: UnsafeRawPointer) -> Bool {
        let call = renewal?.progress.withLock { $0.call } ?? call
        // Safe because this object keeps the call.
        return unsafe call.hasArgument(data)
    }

    func keep(_ arena: CallArena) { arenas.withLock { $0.append(arena) } }

    /// Waits until the function has returned that another process runs.
    private func waitForReturn() -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        let waits = flight.withLock { flight in flight != nil }
        if waits {
            whenReturned.withLock { $0.append { isOver.signal() } }
            if flight.withLock({ $0 == nil }) { hasReturned() }
            isOver.wait()
        }
        return true
    }

    private func hasReturned() {
        for body in whenReturned.exchange([]) { body() }
    }

    func returned(_ token: CallToken, _ error: PluginError?) {
        guard flight.withLock({ $0 == token }) else { return }
        defer { hasReturned() }
        let progress = renewal?.progress.withLock { $0 }
        let call = progress?.call ?? call
        let isCancelled = run.isCancelled
        // A call that was taken back is made again, and its result is ignored.
        let isOwn = progress.map { $0.token == token } ?? true
        var fault = isOwn ? error.map { RunFault($0, at: source.effect.span) } : nil
        if isOwn, error == nil, !isCancelled, !source.effect.isEmitting {
            do throws(RunFault) {
                try scope.evaluate { frame throws(RunFault) in try answer(call, frame) }
            } catch { fault = error }
        }
        // Before the run ends: the app's end waits only for pointers that were dropped until then.
        call.dropHandles()
        // From now on a cancellation ends the run.
        let isLast = flight.withLock { flight in
            guard flight == token else { return false }
            flight = nil
            return true
        }
        guard isLast else { return }
        if run.isCancelled || isOwn && fault == nil && !source.effect.isEmitting {
            run.finish()
        } else if let fault, !isCancelled {
            run.fail(fault)
        }
    }

    /// Sends what the manifest makes of the outcome of an effect that answers by returning.
    ///
    /// - Throws: the failure that the outcome is by the manifest's test, and the first fault of a callback.
    private func answer(_ call: PreparedCall, _ frame: ExpressionFrame) throws(RunFault) {
        if let fault = (call.callbackSink as? CallbackRun)?.fault { throw fault }
        // Safe because the outcome lives as long as the call.
        unsafe frame.bind(.call, to: call.outcomeAddress)
        try answers.answer(frame, call.outcomeValue, of: source.effect, to: run, in: scope.state, reporter)
    }

    func finished() { run.finish() }

    func failed(code: Int32, text: String) {
        run.fail(RunFault(failureOf: source.effect, code: Int64(code), text: text))
    }
}

extension EffectSource {
    /// Begins a call that takes `spin_call *`, which may last for `timeout`.
    fileprivate func begin(_ sink: LastingRun, _ timeout: Duration?) throws(RunFault) -> CallToken {
        do {
            return try services.begin(sink, for: image, effect: effect.name, timeout: timeout)
        } catch { throw RunFault(error, at: effect.span) }
    }
}

extension EmitResult {
    /// The answer that a plugin gets.
    fileprivate var status: Int32 {
        switch self {
        case .queued: SPIN_OK
        case .full: SPIN_FULL
        case .cancelled: SPIN_CANCELLED
        case .stopped: SPIN_STOPPED
        }
    }
}
