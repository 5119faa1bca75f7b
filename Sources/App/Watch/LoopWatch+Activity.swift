import HostLoop
import Manifest
import Records
import Synchronization

// What a loop does, or an instance of a loop with a key: called as its observer is.
extension LoopWatch {
    static var now: Int64 { clock.now.nanoseconds }

    func stepped(_ step: LoopStep<Record, AppEvent>, of instance: WatchedInstance?) {
        let origin = Self.origin(of: step.event, step.origin, model)
        guard keeps.load(ordering: .relaxed) else {
            return state.withLock { $0.count(step.index, origin) }
        }
        let made = AppStep(
            step, of: model, key: instance?.key, message: step.event.message.map { origins[$0] }, now: nil
        ).unattached
        keep(.step(made, run: step.origin.run?.number), of: instance) { state in
            state.count(step.index, origin)
            state.measure(made)
        }
    }

    func unhandled(_ event: AppEvent, from origin: EventOrigin, of instance: WatchedInstance?) {
        let kind = Self.origin(of: event, origin, model)
        guard keeps.load(ordering: .relaxed) else {
            return state.withLock { $0.events[kind].unhandled += 1 }
        }
        let name = event.message.map { origins[$0] } ?? origin.run.map { "feedback:\($0.feedback)" }
        keep(
            .unhandled(
                event: model.events[event.index].name, payload: event.payload.unattached,
                origin: name ?? "external"), of: instance
        ) { $0.events[kind].unhandled += 1 }
    }

    func effectStarted(_ run: EffectRun, by event: AppEvent?, of instance: WatchedInstance?) {
        let now = Self.now
        keep(run, of: instance, .began, event) { state in
            state.runCounters[run.index].begin(state.instanceRuns.begin(run, of: instance), at: now)
            return nil
        }
    }

    func effectEnded(_ run: EffectRun, of instance: WatchedInstance?) {
        let now = Self.now
        keep(run, of: instance, .ended, nil) { state in
            state.instanceRuns.end(run, of: instance)
                .flatMap { state.runCounters[run.index].end($0, at: now) }
        }
    }

    func effectCancelled(_ run: EffectRun, of instance: WatchedInstance?) {
        keep(run, of: instance, .cancelled, nil) { state in
            if let number = state.instanceRuns.end(run, of: instance) {
                state.runCounters[run.index].cancel(number)
            }
            return nil
        }
    }

    func late(_ event: AppEvent, from run: EffectRun, of instance: WatchedInstance?) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, of: instance, .late, event) { state in
            state.events[origin].late += 1
            return nil
        }
    }

    func withdrawn(_ event: AppEvent, from run: EffectRun, of instance: WatchedInstance?) {
        let origin = Self.origin(of: event, .run(run), model)
        keep(run, of: instance, .withdrawn, event) { state in
            state.events[origin].withdrawn += 1
            return nil
        }
    }

    func faulted(_ fault: LoopFault, of instance: WatchedInstance?) {
        let run = fault.source.run
        let feedback = run?.index ?? fault.source.feedback.flatMap { names.firstIndex(of: $0) }
        // A fault is kept beyond the budget: it is what a person looks for.
        add(instance?.key, anyway: true) { state in
            if let feedback {
                state.runCounters[feedback].fail(
                    run.flatMap { state.instanceRuns.number(of: $0, of: instance) },
                    isObserved: !state.budget.isSpent)
            }
            return .fault(AppFault(fault, in: model, key: instance?.key))
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
        _ run: EffectRun, of instance: WatchedInstance?, _ change: AppActivity.Run.State, _ event: AppEvent?,
        _ count: (inout WatchedLoop) -> Duration?
    ) {
        add(instance?.key) { state in
            .run(
                AppActivity.Run(
                    feedback: run.feedback, number: run.number, state: change,
                    event: event.map { model.events[$0.index].name }, took: count(&state)))
        }
    }

    private func keep(
        _ content: AppActivity.Content, of instance: WatchedInstance?, _ count: (inout WatchedLoop) -> Void
    ) {
        add(instance?.key) { state in
            count(&state)
            return content
        }
    }

    /// - Parameter anyway: it is kept although the budget is spent.
    private func add(
        _ key: LoopKey?, anyway: Bool = false, _ content: (inout WatchedLoop) -> AppActivity.Content
    ) {
        let (isKept, paused) = change { state -> (Bool, Loop<Record, AppEvent>?) in
            guard state.openings > 0 || countsFromStart else { return (false, nil) }
            let keeps = state.keeps
            let content = content(&state)
            guard keeps || (anyway && state.openings > 0) else { return (false, nil) }
            if case .step = content, let lastKept = state.lastKept, state.missedSteps > 0 {
                let gap = AppActivity.Content.gap(
                    steps: state.missedSteps, until: lastKept + state.missedSteps, state: nil)
                state.keep(
                    AppActivity(
                        position: order.next(), loop: index, key: nil, time: WallClock.coarse, content: gap))
            }
            state.keep(
                AppActivity(
                    position: order.next(), loop: index, key: key, time: WallClock.coarse, content: content))
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
    var unattached: Record {
        guard kept != nil else { return self }
        var copy = self
        // Safe because the address is not used: the call makes storage of its own, as `self` shares the old one.
        _ = unsafe copy.unsafeMutableBase()
        return copy
    }
}
