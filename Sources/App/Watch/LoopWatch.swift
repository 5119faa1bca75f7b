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
    /// Whether somebody watches: activities are kept.
    private let isOpen = Atomic<Bool>(false)
    /// Whether the budget is spent: nothing is kept.
    private let isSpent = Atomic<Bool>(false)
    private let state: Lock<WatchedLoop>

    init(_ index: Int, of manifest: Manifest, countsFromStart: Bool, _ order: ActivityOrder) {
        self.countsFromStart = countsFromStart
        let model = manifest.loops[index]
        (self.index, self.model, self.order) = (index, model, order)
        origins = MessageReceiver.origins(of: model, in: manifest)
        names = LoopSchema(model, in: manifest).feedbacks.map(\.name)
        state = Lock(WatchedLoop(names))
    }

    // MARK: - Readers

    /// Keeps what the loop does from now on. Calls are counted.
    ///
    /// - Parameter loop: the running loop; nil if it has not begun. Then `begins` observes it.
    func open(_ loop: Loop<Record, AppEvent>?) {
        let attaches = state.withLock { state in
            if state.openings == 0 { forget(&state) }
            state.openings += 1
            isOpen.store(true, ordering: .relaxed)
            state.loop = loop ?? state.loop
            guard loop != nil, !state.isAttached else { return false }
            state.isAttached = true
            return true
        }
        if attaches, let loop { observe(loop) }
    }

    /// Ends one `open`. After the last, nothing is kept.
    func close(_ loop: Loop<Record, AppEvent>?) {
        let detaches = state.withLock { state in
            state.openings -= 1
            guard state.openings == 0 else { return false }
            isOpen.store(false, ordering: .relaxed)
            forget(&state)
            state.loop = nil
            guard !countsFromStart else { return false }
            defer { state.isAttached = false }
            return state.isAttached
        }
        if detaches { loop?.endObservation(by: self) }
    }

    /// A reader is here: the budget grows with the time since the last one. A loop that spent it is observed again.
    ///
    /// - Parameter loop: the running loop; nil if it has not begun.
    func renew(_ loop: Loop<Record, AppEvent>?) {
        let resumes = state.withLock { state in
            guard state.openings > 0 else { return false }
            state.loop = loop ?? state.loop
            return state.budget.refill(at: .now)
        }
        if resumes, let loop { observe(loop) }
    }

    /// Whether the loop did more than its budget, so that the next reader gets a gap.
    var isBehind: Bool { isSpent.load(ordering: .relaxed) }

    private func observe(_ loop: Loop<Record, AppEvent>) {
        let isRunning = loop.observe(with: self) { [weak self] step, present in
            self?.resumed(at: step, present, running: loop.ended.running)
        }
        if !isRunning { resumed(at: loop.counters.steps, loop.state, running: []) }
    }

    /// The loop is observed from here on, or again. Called between two steps.
    private func resumed(at step: UInt64, _ present: Record, running: [EffectRun]) {
        let hasGap = state.withLock { state in
            guard state.openings > 0 || countsFromStart else { return false }
            let missed = state.resume(at: step, running)
            isSpent.store(false, ordering: .relaxed)
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
            if countsFromStart { state.counts.since = WallClock.coarse }
            state.isAttached = true
            return true
        }
    }

    /// Continues the counts of the loop before, before this loop begins, if both count from the start.
    ///
    /// - Parameter feedbacks: the feedbacks whose runs continue, by their index in the loop before.
    func succeed(_ other: LoopWatch, continuing feedbacks: [Int: Int]) {
        guard countsFromStart, other.countsFromStart else { return }
        let (counts, running) = other.state.withLock { ($0.counts, $0.running) }
        state.withLock { state in
            (state.counts.since, state.counts.events) = (counts.since, counts.events)
            for (index, name) in names.enumerated() {
                guard let before = counts.runs.first(where: { $0.feedback == name }) else { continue }
                state.counts.runs[index] = before
            }
            for (before, index) in feedbacks { state.running[index] = running[before] }
        }
    }

    private func forget(_ state: inout WatchedLoop) {
        state.forget(counts: !countsFromStart)
        isSpent.store(false, ordering: .relaxed)
    }

    /// How many activities there were, by `WatchedLoop.Part`.
    var totals: [UInt64] { state.withLock { $0.parts.map(\.total) } }

    /// The activities of a part after the first `seen` ones, and how many of them are lost.
    ///
    /// - Parameter seen: moves behind the activities that are returned.
    func activities(_ part: WatchedLoop.Part, after seen: inout UInt64) -> (lost: Int, kept: [AppActivity]) {
        state.withLock { $0.parts[part.rawValue].after(&seen) }
    }

    /// Whether steps since the watch began are not kept any more.
    var hasForgotten: Bool { state.withLock(\.steps.hasForgotten) }

    /// All steps that are kept.
    var kept: [AppActivity] { state.withLock { $0.steps.all } }

    /// The counts since the watch or the loop began; nil while nobody watches and nothing is counted from the start.
    var counts: WatchedCounts? {
        state.withLock { $0.openings > 0 || countsFromStart ? $0.counts : nil }
    }

    /// How long a run lasts so far; nil if it began before the loop was watched.
    func age(ofRun run: EffectRun) -> Duration? {
        state.withLock { $0.running[run.index].began(run.number) }.map { .nanoseconds(Self.now - $0) }
    }

    // MARK: - The loop

    private static var now: Int64 { clock.now.nanoseconds }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        let origin = Self.origin(of: step.event, step.origin, model)
        guard isOpen.load(ordering: .relaxed), !isBehind else {
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
        guard isOpen.load(ordering: .relaxed) else {
            return state.withLock { $0.counts.events[kind].unhandled += 1 }
        }
        let name = event.message.map { origins[$0] } ?? origin.run.map { "feedback:\($0.feedback)" }
        keep(
            .unhandled(
                event: model.events[event.index].name, payload: event.payload.unattached,
                origin: name ?? "external")
        ) { $0.counts.events[kind].unhandled += 1 }
    }

    func effectStarted(_ run: EffectRun, by event: AppEvent?) {
        let now = Self.now
        keep(run, .began, event) { state in
            state.begin(run, at: now)
            return nil
        }
    }

    func effectEnded(_ run: EffectRun) {
        let now = Self.now
        keep(run, .ended, nil) { state in
            state.counts.runs[run.index].ended += 1
            guard let began = state.running[run.index].end(run.number) else { return nil }
            state.counts.runs[run.index].times.add(nanoseconds: now - began)
            return .nanoseconds(now - began)
        }
    }

    func effectCancelled(_ run: EffectRun) {
        keep(run, .cancelled, nil) { state in
            state.counts.runs[run.index].cancelled += 1
            _ = state.running[run.index].end(run.number)
            return nil
        }
    }

    func late(_ event: AppEvent, from run: EffectRun) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, .late, event) { state in
            state.counts.events[origin].late += 1
            return nil
        }
    }

    func withdrawn(_ event: AppEvent, from run: EffectRun) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, .withdrawn, event) { state in
            state.counts.events[origin].withdrawn += 1
            return nil
        }
    }

    func faulted(_ fault: LoopFault) {
        let failed = fault.source.feedback.flatMap { names.firstIndex(of: $0) }
        keep(.fault(AppFault(fault, in: model))) { state in
            if let failed { state.counts.runs[failed].failed += 1 }
            if let run = fault.source.run { state.counts.runs[run.index].failedRuns += 1 }
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

    private func keep(_ content: AppActivity.Content, _ count: (inout WatchedLoop) -> Void) {
        add { state in
            count(&state)
            return content
        }
    }

    private func add(_ content: (inout WatchedLoop) -> AppActivity.Content) {
        let (isKept, paused) = state.withLock { state -> (Bool, Loop<Record, AppEvent>?) in
            guard state.openings > 0, !isBehind else {
                if state.openings > 0 || countsFromStart { _ = content(&state) }
                return (false, nil)
            }
            let activity = AppActivity(
                position: order.next(), loop: index, time: WallClock.coarse, content: content(&state))
            if case .step(let step, _) = activity.content { state.lastKept = step.index }
            state.keep(activity)
            guard state.budget.spend() else { return (true, nil) }
            isSpent.store(true, ordering: .relaxed)
            return (true, countsFromStart ? nil : state.loop)
        }
        if isKept { order.report() }
        paused?.endObservation(by: self)
    }
}

extension AppStep {
    /// A copy whose event retains nothing of its sender.
    fileprivate var unattached: AppStep {
        AppStep(
            loop: loop, index: index, event: event, payload: payload.unattached, before: before, after: after,
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
