import HostLoop
import Manifest
import PluginHost
import Records

/// A feedback of the manifest in one running loop.
// Safe because the engine calls it on the loop's executor only, one at a time.
final class EffectFeedback: @unchecked Sendable {
    private let model: FeedbackModel
    private let effect: EffectReference
    // One for each event of the trigger; else exactly one.
    private let sites: [EffectSite]
    private let first: EffectSite
    private let frame: ExpressionFrame
    private let config: Record
    private let image: PluginImage
    private let services: HostServices
    private let fault: @Sendable (RunFault) -> Void
    private var hasRequest = false

    init(
        _ model: FeedbackModel, _ effect: EffectReference, sites: [EffectSite], frame: ExpressionFrame,
        config: Record,
        image: PluginImage,
        services: HostServices, fault: @escaping @Sendable (RunFault) -> Void
    ) {
        (self.model, self.effect, self.sites) = (model, effect, sites)
        (self.frame, self.config) = (frame, config)
        first = sites[0]
        (self.image, self.services, self.fault) = (image, services, fault)
    }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        switch model.trigger {
        case .change:
            return .onChange(model.name) { [self] in
                RequestMemory(
                    change: { try self.change($0) }, effect: { try self.start(self.first, $0, nil, $1) })
            }
        case .state(let strategy):
            return .onState(
                model.name, where: { [self] in try holds(first, $0, nil) }, strategy: strategy.ofStates,
                run: { [self] state, run in
                    bind(state, nil)
                    _ = try first.updateArguments()
                    return try start(first, state, nil, run)
                })
        case .each: preconditionFailure("the decoder refuses it")
        case .events(let events, let strategy):
            return .onEvent(
                model.name,
                where: { [self] event, state in
                    guard let index = events.firstIndex(of: event.index) else { return false }
                    return try holds(sites[index], state, event)
                }, strategy: strategy.ofEvents,
                run: { [self] event, state, run in
                    guard let index = events.firstIndex(of: event.index) else { return .finished }
                    bind(state, event)
                    _ = try sites[index].updateArguments()
                    return try start(sites[index], state, event, run)
                })
        }
    }

    private func bind(_ state: Record, _ event: AppEvent?) {
        // Safe because the engine keeps state and event while it calls, which is as long as the frame is used.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.payload.unsafeBase)
    }

    private func holds(_ site: EffectSite, _ state: Record, _ event: AppEvent?) throws -> Bool {
        bind(state, event)
        return try site.holds()
    }

    private func change(_ state: Record) throws -> RequestChange {
        let had = hasRequest
        hasRequest = false
        guard try holds(first, state, nil) else { return .none }
        let changed = try first.updateArguments()
        hasRequest = true
        return had && !changed ? .same : .new
    }

    private func start(
        _ site: EffectSite, _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        bind(state, event)
        guard effect.isEmitting else {
            try site.run(run)
            return .finished
        }
        let call = site.takeCall()
        let emitting = EmittingRun(
            site, run, call: call, state: state, event: event?.payload, config: config, fault: fault)
        let token = services.begin(emitting, for: image)
        call.setCall(token)
        run.onCancel { [services] in
            services.cancel(token)
            run.finish()
        }
        do { try call.invoke() } catch {
            services.cancel(token)
            throw RunFault(error, of: effect)
        }
        return .pending
    }
}

extension FeedbackTrigger.Strategy {
    fileprivate var ofStates: StateStrategy {
        switch self {
        case .cancelOnNewState: .cancelOnNewState
        case .cancelOnNewMatch: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }

    fileprivate var ofEvents: EventStrategy {
        switch self {
        case .cancelOnNewState: preconditionFailure("a feedback on events cannot cancel on every state")
        case .cancelOnNewMatch: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }
}
