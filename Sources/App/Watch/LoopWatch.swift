import HostLoop
import Journal
import Manifest
import Records
import Synchronization

/// Keeps what one running loop does, while a client watches it. May be used from any thread.
///
/// It observes the loop only while it is open, or from the start if it counts from the start. So a loop pays nothing
/// that nobody watches.
final class LoopWatch: LoopObserver {
    /// The greatest number of steps that are kept.
    static let mostSteps = 10_000
    /// The steps that are kept have about so many bytes of JSON at most, by samples.
    static let mostBytes = 16 << 20
    /// So often a step is measured.
    private static let sampling: UInt64 = 256

    private struct Watched {
        var openings = 0
        var isAttached = false
        var steps = ActivityRing(capacity: LoopWatch.mostSteps)
        var others = ActivityRing(capacity: LoopWatch.mostSteps)
        var counts: WatchedCounts
        /// By feedback: when its runs began that have not ended.
        var running: [[UInt64: ContinuousClock.Instant]]
    }

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
    private let state: Lock<Watched>

    init(_ index: Int, of manifest: Manifest, countsFromStart: Bool, _ order: ActivityOrder) {
        self.countsFromStart = countsFromStart
        let model = manifest.loops[index]
        (self.index, self.model, self.order) = (index, model, order)
        origins = MessageReceiver.origins(of: model, in: manifest)
        names = LoopSchema(model, in: manifest).feedbacks.map(\.name)
        state = Lock(Watched(counts: Self.none(names), running: names.map { _ in [:] }))
    }

    private static func none(_ names: [String]) -> WatchedCounts {
        WatchedCounts(since: WallClock.coarse, runs: names.map { WatchedCounts.Runs(feedback: $0) })
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
            guard loop != nil, !state.isAttached else { return false }
            state.isAttached = true
            return true
        }
        if attaches, let loop { _ = loop.observe(with: self) }
    }

    /// Ends one `open`. After the last, nothing is kept.
    func close(_ loop: Loop<Record, AppEvent>?) {
        let detaches = state.withLock { state in
            state.openings -= 1
            guard state.openings == 0 else { return false }
            isOpen.store(false, ordering: .relaxed)
            forget(&state)
            guard !countsFromStart else { return false }
            defer { state.isAttached = false }
            return state.isAttached
        }
        if detaches { loop?.endObservation(by: self) }
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

    private func forget(_ state: inout Watched) {
        state.steps.removeAll()
        state.others.removeAll()
        guard !countsFromStart else { return }
        state.counts = Self.none(names)
        state.running = names.map { _ in [:] }
    }

    /// How many activities there were: steps, and others.
    var totals: (steps: UInt64, others: UInt64) { state.withLock { ($0.steps.total, $0.others.total) } }

    /// The steps after the first `seen` ones, and how many of them are lost.
    func steps(after seen: UInt64) -> (lost: Int, kept: [AppActivity]) {
        state.withLock { $0.steps.after(seen) }
    }

    /// The other activities after the first `seen` ones, and how many of them are lost.
    func others(after seen: UInt64) -> (lost: Int, kept: [AppActivity]) {
        state.withLock { $0.others.after(seen) }
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
        state.withLock { $0.running[run.index][run.number] }.map { ContinuousClock.now - $0 }
    }

    // MARK: - The loop

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        let origin = Self.origin(of: step.event, step.origin, model)
        guard isOpen.load(ordering: .relaxed) else {
            return state.withLock { $0.counts.events[origin].handled += 1 }
        }
        let made = AppStep(
            step, of: model, message: step.event.message.map { origins[$0] }, now: nil
        ).unattached
        keep(.step(made, run: step.origin.run?.number)) { state in
            state.counts.events[origin].handled += 1
            guard state.steps.total % Self.sampling == 0 else { return }
            let size = made.after.value.json.utf8.count + made.payload.value.json.utf8.count
            state.steps.limit(to: max(16, min(Self.mostSteps, Self.mostBytes / max(1, size))))
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
        let now = ContinuousClock.now
        keep(run, .began, event) { state in
            state.counts.runs[run.index].began += 1
            state.running[run.index][run.number] = now
            return nil
        }
    }

    func effectEnded(_ run: EffectRun) {
        let now = ContinuousClock.now
        keep(run, .ended, nil) { state in
            state.counts.runs[run.index].ended += 1
            guard let began = state.running[run.index].removeValue(forKey: run.number) else { return nil }
            state.counts.runs[run.index].times.add(now - began)
            return now - began
        }
    }

    func effectCancelled(_ run: EffectRun) {
        keep(run, .cancelled, nil) { state in
            state.counts.runs[run.index].cancelled += 1
            state.running[run.index][run.number] = nil
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
        _ count: (inout Watched) -> Duration?
    ) {
        add { state in
            .run(
                AppActivity.Run(
                    feedback: run.feedback, number: run.number, state: change,
                    event: event.map { model.events[$0.index].name }, took: count(&state)))
        }
    }

    private func keep(_ content: AppActivity.Content, _ count: (inout Watched) -> Void) {
        add { state in
            count(&state)
            return content
        }
    }

    private func add(_ content: (inout Watched) -> AppActivity.Content) {
        let isKept = state.withLock { state in
            guard state.openings > 0 else {
                if countsFromStart { _ = content(&state) }
                return false
            }
            let activity = AppActivity(
                position: order.next(), loop: index, time: WallClock.coarse, content: content(&state))
            if case .step = activity.content {
                state.steps.append(activity)
            } else {
                state.others.append(activity)
            }
            return true
        }
        if isKept { order.report() }
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
