import HostLoop
import Manifest
import PluginHost
import Records

/// A feedback of the manifest in one running loop whose effect is called at once, on the loop's executor: what most are.
///
/// `ApartFeedback` is for the others.
// Safe because the engine calls it on the loop's executor only, one at a time.
final class EffectFeedback: @unchecked Sendable {
    private let model: FeedbackModel
    private let sites: SiteTable<EffectSite>
    private let frame: ExpressionFrame
    private let config: Record
    private let kind: Kind
    private let isEmitting: Bool
    /// Where the instance sits that the effect is called for, if it takes one.
    private let seat: InstanceSeat?
    // Whether the last state asked for a run, and whether its arguments had no value then.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) private var origin: EmittingRun.Origin
    @safe @exclusivity(unchecked) private var hasRequest = false
    // Of what sits there, the one that the calls are prepared for.
    @safe @exclusivity(unchecked) private var version: UInt
    @safe @exclusivity(unchecked) private var failure: RunFault?

    /// How the effect is called.
    private enum Kind {
        case returning
        case emitting
        /// For an instance, which may be away.
        case seated
    }

    init(_ model: FeedbackModel, _ loop: LoopParts, _ origin: EmittingRun.Origin) {
        (self.model, frame, config, self.origin) = (model, loop.frame, loop.config, origin)
        let source = origin.source
        (seat, version, isEmitting) = (source.seat, source.version, source.effect.isEmitting)
        kind = seat != nil ? .seated : isEmitting ? .emitting : .returning
        sites = SiteTable(model, of: loop.model) { variant in
            EffectSite(
                variant, of: loop, source: source,
                apart: source.seat == nil ? nil : ApartSite(variant, of: loop, .plugin(origin)))
        }
    }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        switch model.trigger {
        case .change:
            return .onChange(model.name) { [self] in
                // A constant costs no counted reference, unlike what a function finds.
                guard let only = sites.only else {
                    return RequestMemory(
                        change: { try self.change($0) },
                        effect: { state, run in
                            guard let site = self.sites.site(state) else { return .finished }
                            return try self.startNew(site, state, run)
                        })
                }
                return RequestMemory(
                    change: { try self.change(only, $0) },
                    effect: { try self.startNew(only, $0, $1) })
            }
        case .state(let strategy):
            return .onState(
                model.name, where: { [self] in try holds($0, nil) }, strategy: strategy.ofStates,
                run: { [self] in try start($0, nil, $1) })
        case .events(_, let strategy):
            return .onEvent(
                model.name, where: { [self] in try holds($0, $1) }, strategy: strategy.ofEvents,
                run: { [self] in try start($0, $1, $2) })
        case .each: preconditionFailure("runs for items are apart")
        }
    }

    /// Calls the effect of another version of its plugin from now on.
    func use(_ source: EffectSource) {
        origin = EmittingRun.Origin(origin, source: source)
        version = source.version
        sites.forEach { $0.use(origin) }
    }

    /// Goes on where another one of the same declaration is, whose loop was in the state `before` where this one's is in `now`.
    func takePlace(of other: EffectFeedback, _ before: Record, _ now: Record) {
        guard let own = sites.site(now), let others = other.sites.site(before) else { return }
        own.takePlace(of: others)
        (hasRequest, failure) = (other.hasRequest, other.failure)
    }

    private func bind(_ state: Record, _ event: AppEvent?) {
        // Safe because the engine keeps state and event while it calls, which is as long as the frame is used.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.payload.unsafeBase)
    }

    private func holds(_ state: Record, _ event: AppEvent?) throws -> Bool {
        guard let site = sites.site(state, event) else { return false }
        bind(state, event)
        return try site.holds()
    }

    private func change(_ state: Record) throws -> RequestChange {
        guard let site = sites.site(state) else {
            hasRequest = false
            return .none
        }
        return try change(site, state)
    }

    @inline(__always)
    private func change(_ site: EffectSite, _ state: Record) throws -> RequestChange {
        let had = hasRequest
        hasRequest = false
        bind(state, nil)
        guard try site.holds() else { return .none }
        let changed: Bool
        do { changed = try site.updateArguments() } catch {
            // The run fails, once for the same reason.
            let isSame = had && failure == error
            (failure, hasRequest) = (error, true)
            return isSame ? .same : .new
        }
        hasRequest = true
        guard failure == nil else {
            failure = nil
            return .new
        }
        return had && !changed ? .same : .new
    }

    /// Runs with arguments of these, not of a state before.
    private func start(
        _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        guard let site = sites.site(state, event) else { return .finished }
        bind(state, event)
        _ = try site.updateArguments()
        return try start(site, state, event, run)
    }

    /// Runs with the arguments that `change` has taken, unless these have no value.
    @inline(__always)
    private func startNew(
        _ site: EffectSite, _ state: Record, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        if failure != nil { throw failure! }
        return try start(site, state, nil, run)
    }

    @inline(__always)
    private func start(
        _ site: EffectSite, _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        bind(state, event)
        switch kind {
        case .returning:
            try site.run(run)
            return .finished
        case .emitting: return try emit(site, state, event, run)
        case .seated: return try startSeated(site, state, event, run)
        }
    }

    private func emit(
        _ site: EffectSite, _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        try EmittingRun.begin(
            origin, site.answers, run, lent: site.lendArguments(),
            scene: RunScene(config: config, state: state, event: event?.payload))
    }

    /// Calls the effect for its instance, at once unless another one is about to sit there.
    private func startSeated(
        _ site: EffectSite, _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        guard let seat, seat.isOpen(for: version) else {
            guard let apart = site.apart else { preconditionFailure("who has a seat can wait for it") }
            let scene = RunScene(config: config, state: state, event: event?.payload)
            return try ApartRun(site: apart, scene: scene, timing: model.timing, fault: origin.fault)
                .start(.arguments(site.inputs), run)
        }
        guard isEmitting else {
            try site.run(run)
            return .finished
        }
        return try emit(site, state, event, run)
    }
}

extension FeedbackTrigger.Strategy {
    /// The strategy of a feedback on states.
    var ofStates: Strategy {
        switch self {
        case .cancelOnNewState: .cancelOnNewState
        case .cancelOnNewMatch: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }

    /// The strategy of a feedback on events.
    var ofEvents: Strategy {
        switch self {
        case .cancelOnNewState: preconditionFailure("a feedback on events cannot cancel on every state")
        case .cancelOnNewMatch: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }
}
