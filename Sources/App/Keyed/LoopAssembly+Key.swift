import HostLoop
import Manifest
import Records

extension LoopAssembly {
    /// Adds a loop with a key to the run: the loop that receives messages, and its instances, which that loop's messages
    /// and clients make.
    func prepare(_ key: KeyModel, _ run: AppRun, clock: any LoopClock, observer: (any AppObserver)?) {
        let executor = LoopExecutor.serial("loops.\(model.name)")
        let activity = KeyedActivity(
            woke: { [weak run, index] in run?.received(loop: index) },
            rested: { [weak run, index] in run?.quiescent(loop: index) })
        let reporter = LoopReporter(
            model, index: index, origins: MessageReceiver.origins(of: model, in: manifest), steps: steps,
            observer: observer, run: run, journal: nil, time: stepTime)
        let context = context(run, journal: nil)
        parts = model.feedbacks.filter { !$0.isDisabled }.map { feedback($0, context, reporter) } + delays
        let counts = LoopKind.Counts()
        let instances = instances(key, executor, clock, reporter, activity, counts)
        let kind = LoopKind(
            instances, on: executor, activity: activity, steps: steps, counts: counts)
        reporter.kind.exchange(kind)
        run.add(kind, loop: index)
        let receivers = receivers(context, run, reporter) { receiver, message, _ throws(RunFault) in
            for (event, key) in try receiver.addressed(message) {
                if let key { kind.take(event, for: key) }
            }
            return []
        }
        run.add { [self] place in
            let spin = Spin<Record, AppEvent>(
                initialState: model.initialState, reducer: Reducer { _, _ in false }, feedbacks: receivers,
                mailbox: bounds, executor: executor, clock: clock)
            guard let place, let before = place.instances else {
                return (spin.start(observers: [reporter]), {})
            }
            let succession = succession(of: place)
            let cancelInstances = kind.takePlace(of: before, succession, as: model)
            let (loop, cancel) = spin.loop(
                observers: [reporter], inPlaceOf: place.loop,
                LoopSuccession(feedbacks: [:], event: succession.event))
            return (
                loop,
                {
                    cancel()
                    cancelInstances()
                }
            )
        }
    }

    private func instances(
        _ key: KeyModel, _ executor: LoopExecutor, _ clock: any LoopClock, _ reporter: LoopReporter,
        _ activity: KeyedActivity, _ counts: LoopKind.Counts
    ) -> LoopKind.Instances {
        let opensHandles = opensHandles
        let spin = Spin<Record, AppEvent>(
            initialState: model.initialState,
            reducer: Reducer { [self] (state: inout Record, event: AppEvent) in
                let isHandled =
                    try opensHandles ? reduceHolding(&state, event) : reduce(&state, event)
                if !isHandled { counts.unhandled.count() }
                return isHandled
            }, feedbacks: parts.map(\.feedback),
            until: until, mailbox: bounds, clock: clock,
            journal: nil, selection: makeSelection(), reclaim: reclaim
        ).on(executor: executor)
        let begins: (@Sendable () -> Void)? =
            model.readsNow || !model.delays.isEmpty ? { @Sendable [self] in instanceBegins() } : nil
        let keyedWatch = watch.map { watch in
            KeyedWatch<LoopKey, Record, AppEvent> {
                InstanceWatch(WatchedInstance(key: $0, number: $1), of: watch)
            }
        }
        if let keyedWatch { watch?.begins(keyedWatch, steps: steps) }
        return LoopKind.Instances(
            spin, startingFrom: { [model] key in model.initialState(of: key) }, limit: key.limit,
            keep: key.keep, creates: { [creates = key.creates] in creates?.contains($0.index) ?? true },
            // The instances keep these functions.
            observers: { [weak reporter] key in
                guard let reporter, reporter.reportsSteps else { return [] }
                return [InstanceReporter(key, of: reporter)]
            }, activity: activity,
            faulted: { [weak reporter, watch] key, number, fault in
                counts.faults.count()
                watch?.faulted(fault, of: WatchedInstance(key: key, number: number))
                reporter?.faulted(fault, of: key)
            },
            begins: begins, watch: keyedWatch)
    }

    /// Forgets what the last step of another instance has left.
    private func instanceBegins() {
        if model.readsNow { frame.takeTime() }
        reducer.hasEntered = false
    }
}

extension LoopModel {
    /// The state in which the instance of a key begins.
    func initialState(of key: LoopKey) -> Record {
        var state = initialState
        do throws(RecordError) { try state.set(KeyModel.name, to: key.value) } catch {
            preconditionFailure("a key fits its field: \(error)")
        }
        return state
    }
}
