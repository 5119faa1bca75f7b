import HostLoop
import Manifest
import PluginHost
import Records

/// A feedback of the manifest in one running loop.
///
/// A state or an event asks for a run with a `RunRequest`, which a `FeedbackRun` carries out on any thread.
/// As an optimisation, a feedback with `isCalledDirectly` makes no request: it compares the arguments in the
/// memory of the next call, and makes that call at once on the loop's executor.
// Safe because the engine calls it on the loop's executor only, one at a time. Its runs read only constants
// and `target`.
final class DeclaredFeedback: @unchecked Sendable {
    /// How the effect is called.
    private enum CallForm {
        /// By a run that keeps its request.
        case kept
        /// Directly, and it answers by returning.
        case returning
        /// Directly, and it emits.
        case emitting
        /// Directly, for an instance that a swap may exchange.
        case forInstance
    }

    let model: FeedbackModel
    /// Whether the loop has a key: then all instances have this object, and each its own last request.
    private let isOfInstances: Bool
    let frame: ExpressionFrame
    private let config: Record
    /// `LoopModel.bindings` of the loop.
    private let bindings: Int
    let variants: VariantTable
    private let items: ItemList?
    private let reporter: RunReporter
    let keys: RunKeys
    /// The record `run` when arguments are compared; nil if none reads it.
    private let comparedRun: Record?
    /// Tells which calls another process makes one at a time; see `RemoteFunction.begin`.
    // Safe because it changes before the loop begins.
    @safe @exclusivity(unchecked) private var lane: UInt64
    /// The queue of the feedback, with `executor = "queue"`.
    private let queue: LoopExecutor?
    private let form: CallForm
    /// Where the instance of a direct call is, if it takes one.
    private let slot: InstanceSlot?
    /// The queue of a shared instance, on which all its effects are called.
    private let sharedExecutor: LoopExecutor?
    // Runs read it on any thread. It changes between two steps.
    private let target: Lock<EffectTarget>
    // Whether the last state asked for a run.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) private var hasRequest = false
    // The request of the last state that had one. For direct calls, only a failure: the arguments are in the
    // call's memory.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) private var request: RunRequest?

    // Converts messages of the app before.
    // Safe because it changes before the loop begins.
    @safe @exclusivity(unchecked) private var message: (@Sendable (AppMessage) -> AppMessage?)?

    // Whether the next state begins no run, for a feedback on each state.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) var skipsState = false

    // Items that have no run as long as they stay in the list as they are.
    // Safe because the engine calls one thing at a time.
    @safe @exclusivity(unchecked) var skippedItems: [ItemRequest] = []

    init(_ model: FeedbackModel, _ loop: LoopContext, _ target: EffectTarget, _ reporter: RunReporter) {
        (self.model, self.reporter) = (model, reporter)
        isOfInstances = loop.model.key != nil
        (frame, config, bindings, keys) = (loop.frame, loop.config, loop.model.bindings, loop.keys(of: model))
        comparedRun = model.variants.contains(where: \.usesRunKey) ? keys.comparedRecord : nil
        sharedExecutor = target.source?.sharedExecutor
        lane =
            switch model.executor {
            case .loop: loop.lane
            case .queue: LoopContext.newLane()
            case .pool: 0
            }
        let isRemote = target.source?.image.remote != nil
        queue =
            model.executor == .queue && sharedExecutor == nil
            ? .serial("\(loop.model.name).\(model.name)", blocking: true) : nil
        // A direct call has the arguments of its last run, and so belongs to one loop.
        let isDirect = model.isCalledDirectly && sharedExecutor == nil && !isRemote && !isOfInstances
        let direct = isDirect ? target.source : nil
        slot = direct?.slot
        form =
            if let direct {
                direct.slot != nil ? .forInstance : direct.effect.isEmitting ? .emitting : .returning
            } else { .kept }
        variants = VariantTable(model, of: loop.model) { index in
            DeclaredVariant(index, of: model, in: loop, handles: target.openedHandles, direct: direct)
        }
        self.target = Lock(target)
        if case .each(let item) = model.trigger { items = ItemList(item) } else { items = nil }
    }

    /// Calls the effect of another version of its plugin from now on. Runs that have begun keep their
    /// version.
    func use(_ source: EffectSource) {
        target.withLock { $0 = .effect(source) }
        variants.forEach { $0.direct?.use(source) }
    }

    /// Continues a feedback of the same declaration, with its last request and the faults of its runs.
    ///
    /// - Parameters:
    ///   - before: the state of the other one's loop.
    ///   - now: the state of this one's loop.
    ///   - message: a message of the other app in this one; nil: this app has no such message.
    func succeed(
        _ other: DeclaredFeedback, _ before: Record, _ now: Record,
        message: @escaping @Sendable (AppMessage) -> AppMessage?
    ) {
        other.reporter.forward(to: reporter)
        self.message = message
        if let queue, let before = other.queue {
            lane = other.lane
            // One call at a time: those of the other feedback come first.
            queue.hold {}
            before.run { queue.release() }
        }
        guard !isOfInstances, let own = variants.variant(now), let others = other.variants.variant(before)
        else { return }
        if let direct = own.direct, let last = others.direct { direct.takeValues(of: last) }
        (hasRequest, request) = (other.hasRequest, other.request.map(carried))
        if let items, let others = other.items { items.succeed(others, own, carried) }
    }

    /// A request of the feedback that this one continues, as this one makes it.
    func carried(_ request: RunRequest) -> RunRequest {
        guard let message, case .messages(let messages) = request else { return request }
        return .messages(messages.compactMap(message))
    }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        var feedback = triggered
        if let delay = model.timing.delay { feedback = feedback.delay(for: delay) }
        if let debounce = model.timing.debounce { feedback = feedback.debounce(for: debounce) }
        if let sharedExecutor { return feedback.execute(on: sharedExecutor) }
        if let queue { return feedback.execute(on: queue) }
        // Not the pool of the loops: effects that block would take its threads from them.
        return model.executor == .pool ? feedback.execute(on: .blocking) : feedback
    }

    private var triggered: Feedback<Record, AppEvent> {
        switch model.trigger {
        case .change where isOfInstances: onChangeOfInstances
        case .change: .onChange(model.name) { [self] in memory }
        case .state(let strategy):
            .onState(
                model.name, where: { [self] in try !skips() && holds($0, nil) },
                strategy: strategy.ofStates,
                run: { [self] in try start($0, nil, $1) })
        case .events(_, let strategy):
            .onEvent(
                model.name, where: { [self] in try holds($0, $1) }, strategy: strategy.ofEvents,
                run: { [self] in try start($0, $1, $2) })
        case .each:
            .onEach(
                model.name, requests: { [self] in try itemRequests($0) }, key: \.key,
                since: { [self] in isOfInstances ? [] : items?.last ?? [] },
                carried: { [self] item in
                    ItemRequest(
                        key: item.key, variant: item.variant, scope: item.scope,
                        request: carried(item.request))
                },
                run: { [self] in try run($0.variant, $0.scope).start($0.request, $1) })
        }
    }

    private func skips() -> Bool {
        defer { skipsState = false }
        return skipsState
    }

    func bind(_ state: Record, _ event: AppEvent?) {
        // Safe because the engine keeps state and event while it calls, which is as long as the frame is
        // used.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.payload.unsafeBase)
    }

    func holds(_ state: Record, _ event: AppEvent?) throws -> Bool {
        guard let variant = variants.variant(state, event) else { return false }
        bind(state, event)
        return try variant.holds(frame)
    }

    /// Binds the record `run` for a comparison of arguments that read it.
    func bindRun() {
        guard let comparedRun else { return }
        // Safe because this object keeps the record.
        unsafe frame.bind(.run, to: comparedRun.unsafeBase)
    }

    func itemRequests(_ state: Record) throws -> [ItemRequest] {
        bind(state, nil)
        bindRun()
        let requests =
            try items?.requests(variants.variant(state), scope(state, nil), frame, reporter) ?? []
        guard !skippedItems.isEmpty else { return requests }
        skippedItems = skippedItems.filter(requests.contains)
        return requests.filter { !skippedItems.contains($0) }
    }

    // MARK: - Starting runs

    func run(_ variant: DeclaredVariant, _ scope: RunScope) -> FeedbackRun {
        var scope = scope
        if isOfInstances { scope.number = keys.nextNumber() }
        return FeedbackRun(
            variant: variant, target: target.withLock { $0 }, scope: scope, timing: model.timing,
            reporter: reporter, keys: keys, lane: lane)
    }

    func scope(_ state: Record, _ event: AppEvent?) -> RunScope {
        RunScope(config: config, bindings: bindings, state: state, event: event?.payload)
    }

    /// Starts a run with the arguments of this state and event; on any thread, unless the call is direct.
    private func start(_ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard let variant = variants.variant(state, event) else { return .finished }
        guard let direct = variant.direct else {
            return try self.run(variant, scope(state, event)).start(nil, run)
        }
        bind(state, event)
        _ = try direct.update(frame)
        return try callDirectly(variant, state, event, run)
    }

    @inline(__always)
    private func callDirectly(
        _ variant: DeclaredVariant, _ state: Record, _ event: AppEvent?, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        bind(state, event)
        switch form {
        case .returning:
            try variant.call(frame, run)
            return .finished
        case .emitting: return try emit(variant, variant.direct!, state, event, run)
        case .forInstance: return try callForInstance(variant, variant.direct!, state, event, run)
        case .kept: preconditionFailure("a run that keeps its request is not called directly")
        }
    }

    private func emit(
        _ variant: DeclaredVariant, _ direct: DirectCall, _ state: Record, _ event: AppEvent?,
        _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        let arguments = direct.lend()
        reporter.called(run.number, with: arguments.values)
        return try LastingRun(
            arguments.source, arguments.call, variant.answers, run, scope(state, event), reporter, keys,
            lent: (arguments, direct.spares)
        ).begin()
    }

    /// Calls the effect for its instance: at once, or when a swap has exchanged that.
    private func callForInstance(
        _ variant: DeclaredVariant, _ direct: DirectCall, _ state: Record, _ event: AppEvent?,
        _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        guard let slot, slot.isOpen(for: direct.source.version) else {
            return try self.run(variant, scope(state, event)).start(.arguments(direct.values), run)
        }
        guard model.effect?.isEmitting == true else {
            try variant.call(frame, run)
            return .finished
        }
        return try emit(variant, direct, state, event, run)
    }

    // MARK: - On change

    private var memory: RequestMemory<Record, AppEvent> {
        let detached = { [self] () -> @Sendable (Record, Run<AppEvent>) throws -> EffectStatus in
            let request = request
            return { [self] state, run in
                guard let request, let variant = variants.variant(state) else { return .finished }
                return try self.run(variant, scope(state, nil)).start(request, run)
            }
        }
        guard let only = variants.only else {
            return RequestMemory(
                change: { [self] in try change($0) }, effect: { [self] in try startRequested($0, $1) },
                detached: detached)
        }
        // A captured constant costs no counted reference, unlike a variant that a function finds.
        return RequestMemory(
            change: { [self] in try change(only, $0) },
            effect: { [self] in try startRequested(only, $0, $1) },
            detached: detached)
    }

    func change(_ state: Record) throws -> RequestChange {
        guard let variant = variants.variant(state) else {
            hasRequest = false
            return .none
        }
        return try change(variant, state)
    }

    @inline(__always)
    private func change(_ variant: DeclaredVariant, _ state: Record) throws -> RequestChange {
        let had = hasRequest
        hasRequest = false
        bind(state, nil)
        guard try variant.holds(frame) else { return .none }
        guard variant.direct != nil else {
            bindRun()
            return change(to: variant.request(frame), had)
        }
        let isNew: Bool
        // An object that is bound to a name is counted.
        do { isNew = try variant.direct!.update(frame) } catch { return change(to: .failure(error), had) }
        hasRequest = true
        guard case nil = request else {
            request = nil
            return .new
        }
        return had && !isNew ? .same : .new
    }

    private func change(to new: RunRequest, _ had: Bool) -> RequestChange {
        let isSame = had && request == new
        (request, hasRequest) = (new, true)
        return isSame ? .same : .new
    }

    private func startRequested(_ state: Record, _ run: Run<AppEvent>) throws -> EffectStatus {
        guard let variant = variants.variant(state) else { return .finished }
        return try startRequested(variant, state, run)
    }

    @inline(__always)
    private func startRequested(
        _ variant: DeclaredVariant, _ state: Record, _ run: Run<AppEvent>
    ) throws -> EffectStatus {
        if let request { return try self.run(variant, scope(state, nil)).start(request, run) }
        return try callDirectly(variant, state, nil, run)
    }
}
