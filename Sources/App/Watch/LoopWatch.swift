import HostLoop
import Journal
import Manifest
import Records
import Synchronization

/// Keeps what one running loop does, while a client watches it. May be used from any thread.
///
/// It observes the loop only while it is open, or from the start if it counts from the start. So a loop pays nothing
/// that nobody watches. A loop that does more than its budget is not observed until a reader comes again (`renew`); what
/// it did meanwhile becomes one gap.
final class LoopWatch: LoopObserver {
    /// It times the runs.
    private static let clock = ContinuousLoopClock()

    let order: ActivityOrder
    private let model: LoopModel
    private let index: Int
    // By `AppEvent.message`.
    private let origins: [String]
    private let names: [String]
    /// Whether it counts from the start of the loop, also while nobody watches.
    private let countsFromStart: Bool
    /// `WatchedLoop.keeps`, to be read without the lock.
    private let keeps = Atomic<Bool>(false)
    private let state: Lock<WatchedLoop>

    init(_ index: Int, of manifest: Manifest, countsFromStart: Bool, _ order: ActivityOrder) {
        self.countsFromStart = countsFromStart
        let model = manifest.loops[index]
        (self.index, self.model, self.order) = (index, model, order)
        origins = MessageReceiver.origins(of: model, in: manifest)
        names = LoopSchema(model, in: manifest).feedbacks.map(\.name)
        state = Lock(WatchedLoop(names))
    }

    /// Changes what may change `keeps`.
    private func change<Result: Sendable>(_ body: (inout WatchedLoop) -> Result) -> Result {
        state.withLock { state in
            defer { keeps.store(state.keeps, ordering: .relaxed) }
            return body(&state)
        }
    }

    // MARK: - Readers

    /// Keeps what the loop does from now on. Calls are counted.
    ///
    /// - Parameter loop: the running loop; nil if it has not begun. Then `begins` observes it.
    func open(_ loop: Loop<Record, AppEvent>?) {
        let attaches = change { state in
            if state.openings == 0 { state.forget(counts: !countsFromStart) }
            state.openings += 1
            state.loop = loop ?? state.loop
            guard loop != nil, !state.isAttached else { return false }
            state.isAttached = true
            return true
        }
        if attaches, let loop { _ = loop.observe(with: self) }
    }

    /// Ends one `open`. After the last, nothing is kept.
    func close(_ loop: Loop<Record, AppEvent>?) {
        let detaches = change { state in
            state.openings -= 1
            guard state.openings == 0 else { return false }
            state.forget(counts: !countsFromStart)
            state.loop = nil
            guard !countsFromStart else { return false }
            defer { state.isAttached = false }
            return state.isAttached
        }
        if detaches { loop?.endObservation(by: self) }
    }

    /// A reader is here: the budget grows with the time since the last one. If it was spent, the loop is observed again.
    ///
    /// - Parameter loop: the running loop; nil if it has not begun.
    func renew(_ loop: Loop<Record, AppEvent>?) {
        guard let loop else { return }
        let resumes = change { state in
            guard state.openings > 0 else { return false }
            state.loop = loop
            return state.budget.refill(at: .now)
        }
        guard resumes else { return }
        let isRunning = loop.reviewObservers { [weak self] step, present in
            self?.resumed(at: step, present, running: loop.ended.running)
        }
        if !isRunning { resumed(at: loop.counters.steps, loop.state, running: []) }
    }

    /// Whether the loop did more than its budget, so that a reader gets a gap.
    var isBehind: Bool { state.withLock(\.budget.isSpent) }

    /// The loop is observed again. Called between two steps.
    private func resumed(at step: UInt64, _ present: Record, running: [EffectRun]) {
        let hasGap = change { state in
            guard state.openings > 0 else { return false }
            let missed = state.resume(at: step, running)
            guard missed > 0 else { return false }
            state.keep(
                AppActivity(
                    position: order.next(), loop: index, time: WallClock.coarse,
                    content: .gap(steps: missed, until: step, state: present.unattached)))
            return true
        }
        if hasGap { order.report() }
    }

    /// The loop is about to begin: whether this must observe it from the start.
    func begins() -> Bool {
        state.withLock { state in
            guard state.openings > 0 || countsFromStart, !state.isAttached else { return false }
            if countsFromStart { state.since = WallClock.coarse }
            state.isAttached = true
            return true
        }
    }

    /// Continues the counts of the loop before, before this loop begins, if both count from the start.
    ///
    /// - Parameter feedbacks: the feedbacks whose runs continue, by their index in the loop before.
    func succeed(_ other: LoopWatch, continuing feedbacks: [Int: Int]) {
        guard countsFromStart, other.countsFromStart else { return }
        let (since, events, before) = other.state.withLock { ($0.since, $0.events, $0.runCounters) }
        state.withLock { state in
            (state.since, state.events) = (since, events)
            for (index, name) in names.enumerated() {
                guard let old = other.names.firstIndex(of: name) else { continue }
                state.runCounters[index].succeed(before[old], runsContinue: feedbacks[old] == index)
            }
        }
    }

    /// How many activities of a kind there were.
    func total(_ kind: AppActivity.Kind) -> UInt64 { state.withLock { $0.ring(kind)?.total ?? 0 } }

    /// The activities of a kind after the first `seen` ones, and how many of them are lost.
    ///
    /// - Parameter seen: moves behind the activities that are returned.
    func activities(_ kind: AppActivity.Kind, after seen: inout UInt64) -> (lost: Int, kept: [AppActivity]) {
        state.withLock { $0.ring(kind)?.after(&seen) ?? (0, []) }
    }

    /// Whether steps since the watch began are not kept any more.
    var hasForgotten: Bool { state.withLock(\.steps.hasForgotten) }

    /// All steps that are kept, with unhandled events and gaps.
    var kept: [AppActivity] { state.withLock { $0.steps.all } }

    /// The counts since the watch or the loop began; nil while nobody watches and nothing is counted from the start.
    var counts: WatchedCounts? {
        state.withLock { $0.openings > 0 || countsFromStart ? $0.counts : nil }
    }

    /// A run that has not ended, with what is known of it.
    func ongoing(_ run: EffectRun) -> OngoingRun {
        let open = state.withLock { $0.runCounters[run.index].open(run.number) }
        return OngoingRun(
            run: run, age: open?.began.map { .nanoseconds(Self.now - $0) }, arguments: open?.arguments)
    }

    /// A run calls its effect, on any thread.
    ///
    /// - Parameter feedback: its index in the engine's order.
    func called(_ feedback: Int, _ run: UInt64, with arguments: () -> Record) {
        guard keeps.load(ordering: .relaxed) else { return }
        let arguments = arguments()
        state.withLock { $0.runCounters[feedback].called(run, with: arguments) }
    }

    // MARK: - The loop

    private static var now: Int64 { clock.now.nanoseconds }

    var seesSteps: Bool { countsFromStart || keeps.load(ordering: .relaxed) }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        let origin = Self.origin(of: step.event, step.origin, model)
        guard keeps.load(ordering: .relaxed) else {
            return state.withLock { $0.count(step.index, origin) }
        }
        let made = AppStep(
            step, of: model, message: step.event.message.map { origins[$0] }, now: nil
        ).unattached
        keep(.step(made, run: step.origin.run?.number)) { state in
            state.count(step.index, origin)
            state.measure(made)
        }
    }

    func unhandled(_ event: AppEvent, from origin: EventOrigin) {
        let kind = Self.origin(of: event, origin, model)
        guard keeps.load(ordering: .relaxed) else {
            return state.withLock { $0.events[kind].unhandled += 1 }
        }
        let name = event.message.map { origins[$0] } ?? origin.run.map { "feedback:\($0.feedback)" }
        keep(
            .unhandled(
                event: model.events[event.index].name, payload: event.payload.unattached,
                origin: name ?? "external")
        ) { $0.events[kind].unhandled += 1 }
    }

    func effectStarted(_ run: EffectRun, by event: AppEvent?) {
        let now = Self.now
        keep(run, .began, event) { state in
            state.runCounters[run.index].begin(run.number, at: now)
            return nil
        }
    }

    func effectEnded(_ run: EffectRun) {
        let now = Self.now
        keep(run, .ended, nil) { $0.runCounters[run.index].end(run.number, at: now) }
    }

    func effectCancelled(_ run: EffectRun) {
        keep(run, .cancelled, nil) { state in
            state.runCounters[run.index].cancel(run.number)
            return nil
        }
    }

    func late(_ event: AppEvent, from run: EffectRun) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, .late, event) { state in
            state.events[origin].late += 1
            return nil
        }
    }

    func withdrawn(_ event: AppEvent, from run: EffectRun) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, .withdrawn, event) { state in
            state.events[origin].withdrawn += 1
            return nil
        }
    }

    func faulted(_ fault: LoopFault) {
        let run = fault.source.run
        let feedback = run?.index ?? fault.source.feedback.flatMap { names.firstIndex(of: $0) }
        // A fault is kept beyond the budget: it is what a person looks for.
        keep(.fault(AppFault(fault, in: model)), anyway: true) { state in
            guard let feedback else { return }
            state.runCounters[feedback].fail(run?.number, isObserved: !state.budget.isSpent)
        }
    }

    private static func origin(of event: AppEvent, _ origin: EventOrigin, _ model: LoopModel) -> Int {
        let kind: WatchedCounts.Origin =
            if event.message != nil {
                .gear
            } else if model.events[event.index].delay != nil {
                .after
            } else {
                origin.run == nil ? .external : .feedback
            }
        return WatchedCounts.Origin.allCases.firstIndex(of: kind) ?? 0
    }

    private func keep(
        _ run: EffectRun, _ change: AppActivity.Run.State, _ event: AppEvent?,
        _ count: (inout WatchedLoop) -> Duration?
    ) {
        add { state in
            .run(
                AppActivity.Run(
                    feedback: run.feedback, number: run.number, state: change,
                    event: event.map { model.events[$0.index].name }, took: count(&state)))
        }
    }

    private func keep(
        _ content: AppActivity.Content, anyway: Bool = false, _ count: (inout WatchedLoop) -> Void
    ) {
        add(anyway: anyway) { state in
            count(&state)
            return content
        }
    }

    /// - Parameter anyway: it is kept although the budget is spent.
    private func add(anyway: Bool = false, _ content: (inout WatchedLoop) -> AppActivity.Content) {
        let (isKept, paused) = change { state -> (Bool, Loop<Record, AppEvent>?) in
            guard state.openings > 0 || countsFromStart else { return (false, nil) }
            let keeps = state.keeps
            let content = content(&state)
            guard keeps || (anyway && state.openings > 0) else { return (false, nil) }
            state.keep(
                AppActivity(position: order.next(), loop: index, time: WallClock.coarse, content: content))
            state.budget.spend()
            return (true, keeps && state.budget.isSpent ? state.loop : nil)
        }
        if isKept { order.report() }
        paused?.reviewObservers()
    }
}

extension AppStep {
    /// A copy whose event retains nothing of its sender.
    fileprivate var unattached: AppStep {
        AppStep(
            loop: loop, key: key, index: index, event: event, payload: payload.unattached, before: before,
            after: after,
            origin: origin, now: now)
    }
}

extension Record {
    /// A copy that retains no other object.
    fileprivate var unattached: Record {
        guard kept != nil else { return self }
        var copy = self
        // Safe because the address is not used: the call makes storage of its own, as `self` shares the old one.
        _ = unsafe copy.unsafeMutableBase()
        return copy
    }
}
