import HostLoop
import Manifest
import PluginHost
import Records

/// A run that keeps what it needs, so that it may wait, be repeated, and execute anywhere.
struct ApartRun: Sendable {
    let site: ApartSite
    let scene: RunScene
    let timing: FeedbackTiming
    /// Told of a fault that does not end the run, on any thread.
    let fault: @Sendable (RunFault) -> Void

    /// Begins the run.
    ///
    /// - Parameter request: what it is asked for; nil: what the scene asks for.
    func start(_ request: RunRequest?, _ run: Run<AppEvent>) throws -> EffectStatus {
        let request = try request ?? scene.evaluate { site.request($0) }
        guard let failed = site.answers.failed else { return try attempts(request, run) }
        return try run.catch({ [self] in recover($0, failed, $1) }) { try attempts(request, $0) }
    }

    private func attempts(_ request: RunRequest, _ run: Run<AppEvent>) throws -> EffectStatus {
        if case .failure(let fault) = request { throw fault }
        guard timing.retry > 0 else { return try attempt(request, run) }
        return try run.retry(timing.retry) { [self] in try attempt(request, $0) }
    }

    private func attempt(_ request: RunRequest, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard let timeout = timing.timeout else { return try call(request, run) }
        return try run.timeout(after: timeout, by: site.callee.timer) { try call(request, $0) }
    }

    private func call(_ request: RunRequest, _ run: Run<AppEvent>) throws -> EffectStatus {
        switch request {
        case .failure(let fault): throw fault
        case .messages(let messages):
            if !run.isCancelled { site.answers.returned?.send(messages) }
            return .finished
        case .arguments(let inputs):
            let origin: EmittingRun.Origin
            switch site.callee {
            case .nothing: preconditionFailure("arguments are for an effect")
            case .plugin(let plugin): origin = plugin
            case .standIn(let standIn):
                try answer(of: standIn, run)
                return .finished
            }
            guard let seat = origin.source.seat else { return try call(origin, inputs, run) }
            return try seat.call(origin.source, run) { [self] source, run in
                try call(EmittingRun.Origin(origin, source: source), inputs, run)
            }
        }
    }

    private func call(
        _ origin: EmittingRun.Origin, _ inputs: Record, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        let call = origin.source.makeCall()
        let type = inputs.type
        for field in type.fields.indices {
            // Safe because both are initialised values of the field's type.
            unsafe ValueMemory.assign(
                call.inputAddress(field), from: inputs.unsafeBase + type.fields[field].offset,
                as: type.fields[field].type)
        }
        guard !origin.source.effect.isEmitting else {
            return try EmittingRun.begin(
                origin, site.answers, run, call: call, scene: scene, timeout: timing.timeout)
        }
        try answer(call, origin.source.effect, run)
        return .finished
    }

    /// Calls an effect that answers by returning, and sends what the manifest makes of the answer.
    private func answer(
        _ call: PreparedCall, _ effect: EffectReference, _ run: Run<AppEvent>
    ) throws(RunFault) {
        do { try call.invoke() } catch { throw RunFault(error, of: effect) }
        try scene.evaluate { frame throws(RunFault) in
            // Safe because the outcome lives as long as the call.
            unsafe frame.bind(.call, to: call.outcomeAddress)
            if let failure = site.answers.failure, try failure.holds(frame) { throw call.failure(of: effect) }
            send(site.answers.returned, frame, run)
        }
    }

    /// Sends what the manifest makes of an answer.
    func send(_ emission: EmissionSite?, _ frame: ExpressionFrame, _ run: Run<AppEvent>) {
        do throws(RunFault) { _ = try emission?.send(frame, to: run) } catch {
            // The batch is not sent; the run did not fail.
            fault(error)
        }
    }

    /// Sends what `on-error` makes of a failure; false when it makes nothing of it.
    private func recover(
        _ error: any Error, _ failed: EmissionSite, _ run: Run<AppEvent>
    ) -> Bool {
        var record = Record(FailureRecord.type)
        let failure = RunFault(error, of: site.callee.effect, at: nil)
        do {
            try record.set("message", to: .string(failure.reason))
            try record.set("code", to: .int(failure.code))
            return try scene.evaluate { frame throws(RunFault) in
                // Safe because the record outlives the frame.
                unsafe frame.bind(.error, to: record.unsafeBase)
                defer { withExtendedLifetime(record) {} }
                let events = try failed.events(frame)
                _ = run.emit(contentsOf: events)
                return !events.isEmpty
            }
        } catch {
            if let error = error as? RunFault { fault(error) }
            return false
        }
    }
}
