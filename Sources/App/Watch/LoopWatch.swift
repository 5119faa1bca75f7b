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
///
/// Of a loop with a key, it keeps what the instances do. Each of them has an `InstanceWatch`.
final class LoopWatch {
    /// It times the runs.
    static let clock = ContinuousLoopClock()

    let order: ActivityOrder
    let model: LoopModel
    let index: Int
    // By `AppEvent.message`.
    let origins: [String]
    let names: [String]
    /// Whether it counts from the start of the loop, also while nobody watches.
    let countsFromStart: Bool
    /// `WatchedLoop.keeps`, to be read without the lock.
    let keeps = Atomic<Bool>(false)
    let state: Lock<WatchedLoop>

    init(_ index: Int, of manifest: Manifest, countsFromStart: Bool, _ order: ActivityOrder) {
        self.countsFromStart = countsFromStart
        let model = manifest.loops[index]
        (self.index, self.model, self.order) = (index, model, order)
        origins = MessageReceiver.origins(of: model, in: manifest)
        // Instances have no receivers: another loop receives their messages.
        names = LoopSchema(model, in: manifest).feedbacks
            .filter { model.key == nil || $0.trigger != .receiver }.map(\.name)
        state = Lock(WatchedLoop(names))
    }

    /// Changes what may change `keeps`.
    func change<Result: Sendable>(_ body: (inout WatchedLoop) -> Result) -> Result {
        state.withLock { state in
            defer {
                if state.keeps != keeps.load(ordering: .relaxed) {
                    keeps.store(state.keeps, ordering: .relaxed)
                    state.kind?.watch?.isOpen = state.keeps || countsFromStart
                }
            }
            return body(&state)
        }
    }

    // MARK: - Readers

    /// Keeps what the loop does from now on. Calls are counted.
    ///
    /// - Parameter loop: the running loop; nil if it has not begun, or has a key. Then `begins` observes it, or its
    ///   instances.
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
    /// - Parameter loop: the running loop; nil if it has not begun, or has a key.
    func renew(_ loop: Loop<Record, AppEvent>?) {
        guard loop != nil || model.key != nil else { return }
        let resumes = change { state in
            guard state.openings > 0 else { return false }
            state.loop = loop
            return state.budget.refill(at: .now)
        }
        guard resumes else { return }
        guard let loop else { return resumed(at: nil, nil, running: []) }
        let isRunning = loop.reviewObservers { [weak self] step, present in
            self?.resumed(at: step, present, running: loop.ended.running)
        }
        if !isRunning { resumed(at: loop.counters.steps, loop.state, running: []) }
    }

    /// Whether the loop did more than its budget, so that a reader gets a gap.
    var isBehind: Bool { state.withLock(\.budget.isSpent) }

    /// The loop is observed again. Called between two steps, except for a loop with a key.
    ///
    /// - Parameter step: the number of the present step; nil for a loop with a key.
    private func resumed(at step: UInt64?, _ present: Record?, running: [EffectRun]) {
        let hasGap = change { state in
            guard state.openings > 0 else { return false }
            let step = step ?? state.kind?.steps.current ?? 0
            let missed = state.resume(at: step, running, sawAll: model.key != nil && countsFromStart)
            guard missed > 0 else { return false }
            state.keep(
                AppActivity(
                    position: order.next(), loop: index, key: nil, time: WallClock.coarse,
                    content: .gap(steps: missed, until: step, state: present?.unattached)))
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

    /// The instances of a loop with a key are about to begin.
    ///
    /// - Parameter steps: of all instances.
    func begins(_ instances: KeyedWatch<LoopKey, Record, AppEvent>, steps: StepCount) {
        state.withLock { state in
            if countsFromStart { state.since = WallClock.coarse }
            instances.isOpen = state.keeps || countsFromStart
            state.kind = WatchedLoop.Kind(watch: instances, steps: steps)
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
                var counter = before[old]
                // This watch does not know the runs of instances that have begun, so they count as ended.
                if model.key != nil { counter.resume(live: []) }
                state.runCounters[index].succeed(
                    counter, runsContinue: model.key == nil && feedbacks[old] == index)
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
}

extension LoopWatch: LoopObserver {
    var seesSteps: Bool { countsFromStart || keeps.load(ordering: .relaxed) }
    func stepped(_ step: LoopStep<Record, AppEvent>) { stepped(step, of: nil) }
    func unhandled(_ event: AppEvent, from origin: EventOrigin) { unhandled(event, from: origin, of: nil) }
    func effectStarted(_ run: EffectRun, by event: AppEvent?) { effectStarted(run, by: event, of: nil) }
    func effectEnded(_ run: EffectRun) { effectEnded(run, of: nil) }
    func effectCancelled(_ run: EffectRun) { effectCancelled(run, of: nil) }
    func faulted(_ fault: LoopFault) { faulted(fault, of: nil) }
    func late(_ event: AppEvent, from run: EffectRun) { late(event, from: run, of: nil) }
    func withdrawn(_ event: AppEvent, from run: EffectRun) { withdrawn(event, from: run, of: nil) }
}
