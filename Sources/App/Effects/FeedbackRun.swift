import HostLoop
import Manifest
import PluginHost
import Records

/// A run of a feedback with all that it needs, so that it may wait, be repeated, and execute on any thread.
struct FeedbackRun: Sendable {
    let variant: DeclaredVariant
    let target: EffectTarget
    var scope: RunScope
    let timing: FeedbackTiming
    let reporter: RunReporter
    let keys: RunKeys
    /// Tells which calls another process makes one at a time; see `RemoteFunction.begin`.
    let lane: UInt64

    /// Begins the run.
    ///
    /// - Parameter request: what it does; nil: what its scope asks for.
    func start(_ request: RunRequest?, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard variant.usesRunKey else {
            return try begin(request ?? scope.evaluate { variant.request($0) }, run)
        }
        var keyed = self
        keyed.scope.run = keys.record(ofRun: scope.number ?? run.number)
        return try keyed.begin(
            keyed.scope.evaluate { frame in
                request.map { variant.request($0, keyed: frame) } ?? variant.request(frame)
            }, run)
    }

    private func begin(_ request: RunRequest, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard let failed = variant.answers.failed else { return try attempts(request, run) }
        return try run.catch({ [self] in recover($0, failed, $1) }) { try attempts(request, $0) }
    }

    private func attempts(_ request: RunRequest, _ run: Run<AppEvent>) throws -> EffectStatus {
        if case .failure(let fault) = request { throw fault }
        guard timing.retry.times > 0 else { return try attempt(request, run) }
        let calls = CallCount()
        return try run.retry(timing.retry.times, delay: timing.retry.delay(before:)) { [self] in
            try attempt(request, $0, calls)
        }
    }

    private func attempt(
        _ request: RunRequest, _ run: Run<AppEvent>, _ calls: CallCount? = nil
    ) throws -> EffectStatus {
        guard let timeout = timing.timeout else { return try perform(request, run, calls) }
        // The host's clock may call a function of the plugin.
        return try run.timeout(after: timeout, by: target.source?.services.clock) {
            try perform(request, $0, calls)
        }
    }

    private func perform(
        _ request: RunRequest, _ run: Run<AppEvent>, _ calls: CallCount?
    ) throws -> EffectStatus {
        switch (request, target) {
        case (.failure(let fault), _): throw fault
        case (.messages(let messages), _):
            if !run.isCancelled { variant.answers.returned?.send(messages, of: run) }
            return .finished
        case (.arguments, .nothing): preconditionFailure("arguments are for an effect")
        case (.arguments, .double(let double)):
            try answer(of: double, run)
            return .finished
        case (.arguments(let inputs), .effect(let source)):
            guard let slot = source.slot else { return try call(source, inputs, run, calls) }
            return try slot.call(source, run) { [self] source, run in try call(source, inputs, run, calls) }
        }
    }

    private func call(
        _ source: EffectSource, _ inputs: Record, _ run: Run<AppEvent>, _ calls: CallCount?
    ) throws -> EffectStatus {
        let call = source.makeCall()
        call.setInputs(to: inputs)
        reporter.called(run.number, with: inputs)
        guard !source.effect.isEmitting, !call.isRemote else {
            if let callbacks = callbacks(of: source.effect, run) { call.setCallbacks(callbacks) }
            return try LastingRun(
                source, call, variant.answers, run, scope, reporter, keys, timeout: timing.timeout,
                calls: calls, lane: lane
            ).begin()
        }
        try invoke(call, source.effect, run)
        try scope.evaluate { frame throws(RunFault) in
            // Safe because the outcome lives as long as the call.
            unsafe frame.bind(.call, to: call.outcomeAddress)
            try variant.answers.answer(
                frame, call.outcomeValue, of: source.effect, to: run, in: scope.state, reporter)
        }
        return .finished
    }

    private func callbacks(of effect: EffectReference, _ run: Run<AppEvent>) -> CallbackRun? {
        variant.callbacks.isEmpty ? nil : CallbackRun(variant.callbacks, of: effect, run, scope)
    }

    /// Makes a call of an effect that returns, and answers its callbacks meanwhile.
    ///
    /// - Throws: the first fault of a callback, unless the function has crashed.
    private func invoke(
        _ call: PreparedCall, _ effect: EffectReference, _ run: Run<AppEvent>
    ) throws(RunFault) {
        let callbacks = callbacks(of: effect, run)
        if let callbacks { call.setCallbacks(callbacks) }
        do { try call.invoke() } catch {
            throw error.code == .callCrashed
                ? RunFault(error, at: effect.span) : callbacks?.fault ?? RunFault(error, at: effect.span)
        }
        if let fault = callbacks?.fault { throw fault }
    }

    /// Sends what `on-error` makes of a failure; false when it makes nothing of it.
    private func recover(
        _ error: any Error, _ failed: EmissionMapping, _ run: Run<AppEvent>
    ) -> Bool {
        var record = Record(FailureRecord.type)
        let failure = RunFault(error, of: variant.effect, at: nil)
        do {
            try record.set("message", to: .string(failure.reason))
            try record.set("code", to: .int(failure.code))
            return try scope.evaluate { frame throws(RunFault) in
                // Safe because the record outlives the frame.
                unsafe frame.bind(.error, to: record.unsafeBase)
                defer { withExtendedLifetime(record) {} }
                let events = try failed.events(frame)
                _ = run.emit(contentsOf: events)
                return !events.isEmpty
            }
        } catch {
            if let error = error as? RunFault { reporter.faulted(error, in: scope.state) }
            return false
        }
    }
}

/// What a run does; a feedback on change starts no run for a request that equals the last one.
enum RunRequest: Equatable, Sendable {
    /// It calls the effect with these, a record of `CallSignature.inputs`.
    case arguments(Record)
    /// It sends these.
    case messages([AppMessage])
    /// It fails, as an argument has no value.
    case failure(RunFault)
}
