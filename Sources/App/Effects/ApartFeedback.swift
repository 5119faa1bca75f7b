import HostLoop
import Manifest
import Records

/// A feedback of the manifest in one running loop whose runs keep what they need: they wait, are repeated, handle their
/// failures, run elsewhere, are for one item of a list, or only send messages.
// Safe because the engine calls it on the loop's executor only, one at a time, but for the runs that it hands out.
final class ApartFeedback: @unchecked Sendable {
    private let model: FeedbackModel
    private let loop: LoopParts
    // Read by runs on any thread, changed between two steps.
    private let table: Lock<SiteTable<ApartSite>>
    private let items: ItemList?
    private let fault: @Sendable (RunFault) -> Void
    private let lane: LoopExecutor?
    // What the last state asked for, of a feedback on change; nil: nothing.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) private var asked: Asked?
    // The same of one for the items of a list.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) private var askedForItems: [ItemRequest] = []

    /// - Parameters:
    ///   - callee: what runs call, for a variant.
    ///   - lane: where they run, if that is not for the feedback to say.
    init(
        _ model: FeedbackModel, _ loop: LoopParts, callee: (FeedbackVariant) -> ApartSite.Callee,
        lane: LoopExecutor? = nil,
        fault: @escaping @Sendable (RunFault) -> Void
    ) {
        (self.model, self.loop, self.fault) = (model, loop, fault)
        self.lane = lane
        table = Lock(SiteTable(model, of: loop.model) { ApartSite($0, of: loop, callee($0)) })
        if case .each(let item) = model.trigger { items = ItemList(item) } else { items = nil }
    }

    /// Calls the effect of another version of its plugin from now on; runs that have begun go on with what they have.
    func use(_ callee: ApartSite.Callee) {
        let sites = SiteTable(model, of: loop.model) { ApartSite($0, of: loop, callee) }
        table.withLock { $0 = sites }
    }

    /// Goes on where another one of the same declaration is, whose loop is in the state `now`.
    ///
    /// - Parameter message: what messages are to this one's app.
    func takePlace(
        of other: ApartFeedback, _ now: Record, message: (AppMessage) -> AppMessage?
    ) {
        guard let site = sites.site(now) else { return }
        func own(_ request: RunRequest) -> RunRequest {
            guard case .messages(let messages) = request else { return request }
            return .messages(messages.compactMap(message))
        }
        asked = other.asked.map { Asked(site: site, request: own($0.request)) }
        askedForItems = other.askedForItems.map {
            ItemRequest(key: $0.key, site: site, scene: $0.scene, request: own($0.request))
        }
    }

    private var sites: SiteTable<ApartSite> { table.withLock { $0 } }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        var feedback = triggered
        if let delay = model.timing.delay { feedback = feedback.delay(for: delay) }
        if let debounce = model.timing.debounce { feedback = feedback.debounce(for: debounce) }
        if let lane { return feedback.execute(on: lane) }
        return switch model.executor {
        case .loop: feedback
        // Not the pool of the loops: effects that block would take its threads from them.
        case .pool: feedback.execute(on: .blocking)
        case .queue: feedback.execute(on: .serial("\(loop.model.name).\(model.name)", blocking: true))
        }
    }

    private var triggered: Feedback<Record, AppEvent> {
        switch model.trigger {
        case .change: .onChange(model.name) { [self] in memory }
        case .state(let strategy):
            .onState(
                model.name, where: { [self] in try holds($0, nil) }, strategy: strategy.ofStates,
                run: { [self] in try start($0, nil, $1) })
        case .events(_, let strategy):
            .onEvent(
                model.name, where: { [self] in try holds($0, $1) }, strategy: strategy.ofEvents,
                run: { [self] in try start($0, $1, $2) })
        case .each:
            .onEach(
                model.name, requests: { [self] in try requests($0) }, key: \.key,
                since: { [self] in askedForItems },
                run: { [self] item, run in try self.run(item.site, item.scene).start(item.request, run) })
        }
    }

    private func holds(_ state: Record, _ event: AppEvent?) throws -> Bool {
        guard let site = sites.site(state, event) else { return false }
        bind(state, event)
        return try site.holds(loop.frame)
    }

    private func bind(_ state: Record, _ event: AppEvent?) {
        // Safe because the engine keeps state and event while it calls, which is as long as the frame is used.
        unsafe loop.frame.bind(.state, to: state.unsafeBase)
        unsafe loop.frame.bind(.event, to: event?.payload.unsafeBase)
    }

    private func run(_ site: ApartSite, _ scene: RunScene) -> ApartRun {
        ApartRun(site: site, scene: scene, timing: model.timing, fault: fault)
    }

    /// Begins a run with the arguments that state and event ask for; on any thread.
    private func start(_ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard let site = sites.site(state, event) else { return .finished }
        return try self.run(site, RunScene(config: loop.config, state: state, event: event?.payload))
            .start(nil, run)
    }

    // MARK: - On change

    private struct Asked {
        let site: ApartSite
        let request: RunRequest
    }

    private var memory: RequestMemory<Record, AppEvent> {
        let begin = { [self] () -> @Sendable (Record, Run<AppEvent>) throws -> EffectStatus in
            guard let asked else { return { _, _ in .finished } }
            let (site, request) = (asked.site, asked.request)
            return { [self] state, run in
                try self.run(site, RunScene(config: loop.config, state: state)).start(request, run)
            }
        }
        return RequestMemory(
            change: { [self] state in
                let before = asked
                asked = nil
                guard let site = sites.site(state), try holds(state, nil) else { return .none }
                let request = site.request(loop.frame)
                asked = Asked(site: site, request: request)
                return request == before?.request ? .same : .new
            }, effect: { try begin()($0, $1) }, detached: begin)
    }

    // MARK: - For each item

    /// What the items of a state ask for.
    private func requests(_ state: Record) throws -> [ItemRequest] {
        askedForItems = []
        guard let items, let site = sites.site(state), let each = site.variant.each else { return [] }
        bind(state, nil)
        var requests: [ItemRequest] = []
        for item in try items.items(each, loop.frame) {
            // Safe because the item lives as long as the loop's body.
            unsafe loop.frame.bind(.item, to: item.unsafeBase)
            do throws(RunFault) {
                guard try site.holds(loop.frame) else { continue }
            } catch {
                // That item has no run.
                fault(error)
                continue
            }
            requests.append(
                ItemRequest(
                    key: try ItemKey(each, loop.frame), site: site,
                    scene: RunScene(config: loop.config, state: state, item: item),
                    request: site.request(loop.frame)))
            withExtendedLifetime(item) {}
        }
        askedForItems = requests
        return requests
    }
}
