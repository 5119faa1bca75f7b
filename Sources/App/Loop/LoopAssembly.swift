import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// One loop of the manifest, ready to run. Its reducer, feedbacks and their memory belong to this one run.
// Safe because only the engine uses its closures, on the loop's executor, one at a time.
final class LoopAssembly: @unchecked Sendable {
    let model: LoopModel
    let index: Int
    let manifest: Manifest
    let plugins: PluginSet
    let instances: InstanceSet
    let frame: ExpressionFrame
    private let pool = EventPool()
    private let native: NativeReducer?
    let reducer: DeclarativeReducer
    let steps: StepCount
    /// Where others read the states; nil when the app has no port.
    private let tap: StateTap?
    /// Who watches the loop, if the app has a port.
    let watch: LoopWatch?
    private let trail: EventTrail
    /// Whether a state counts when it is made. If not, the journal counts it once it is durable.
    private var countsSteps = true
    /// The feedbacks in the engine's order; filled in `prepare`.
    var parts: [LoopPart] = []
    /// Where the loop is recorded; nil without a journal, and before `prepare`.
    private(set) var journal: JournaledLoop?
    /// The parts whose runs continue, by those of the loop before; filled when the loop takes its place.
    var continued: [Int: Int] = [:]

    init(
        _ model: LoopModel, index: Int, of manifest: Manifest, plugins: PluginSet, instances: InstanceSet,
        port: AppPort?
    ) {
        (self.model, self.index, self.manifest, self.plugins) = (model, index, manifest, plugins)
        self.instances = instances
        tap = port?.tap(ofLoop: index)
        watch = port?.watches[index]
        steps = tap?.steps ?? StepCount()
        frame = ExpressionFrame(config: manifest.config, bindings: model.bindings)
        if model.readsNow { frame.takeTime() }
        native = model.reducer.map { NativeReducer(plugins.reducer($0), $0, of: model) }
        reducer = DeclarativeReducer(model, frame: frame)
        trail = EventTrail(loop: model.name, events: model.events.map(\.name))
    }

    /// Adds the loop to the run, which starts it in its initial state, or as the successor of another loop.
    func prepare(_ run: AppRun, clock: any LoopClock, observer: (any AppObserver)?) {
        if let key = model.key { return prepare(key, run, clock: clock, observer: observer) }
        let journaled = model.isJournaled ? run.journal : nil
        let journal = journaled?.loop(
            index, model, frame, reducer,
            made: { [steps, tap] state in
                steps.advance()
                tap?.made(copy state)
            },
            stop: { [weak run, index] in run?.loop(at: index)?.stop() })
        countsSteps = journal?.makesStepsDurable != true
        self.journal = journal
        let restart = run.journal?.restarts[index]
        if let restart { steps.continue(at: restart.resumption.steps) }
        let reporter = LoopReporter(
            model, index: index, origins: MessageReceiver.origins(of: model, in: manifest), steps: steps,
            observer: observer, run: run, journal: journal, time: stepTime)
        let context = context(run, journal: journal)
        // Receivers come first, so that the loop misses no message of its own feedbacks.
        let receivers = receivers(context, run, reporter, taking(run, journal)).map {
            LoopPart(.receiver, $0)
        }
        let declared = model.feedbacks.filter { !$0.isDisabled }.enumerated().map { index, feedback in
            var context = context
            context.feedback = receivers.count + index
            return self.feedback(feedback, context, reporter)
        }
        self.parts = receivers + declared + delays
        // A loop that was over in an earlier process attaches to no gear. The messages of the others must not wait for it.
        if restart?.isOver == true { for _ in receivers { run.gears.attached() } }
        let resumption = restart.map { resume($0, journal) }
        let instead = restart.map { emissions(of: $0, context, reporter) } ?? []
        let explainer = observer?.seesExplanations == true ? explainer(reporter) : nil
        // A journal that makes each step durable first asks all feedbacks.
        let asksAll = restart?.isOver == true || journal?.makesStepsDurable == true
        let selection = asksAll ? nil : makeSelection()
        run.add { [self] place in
            let spin = Spin<Record, AppEvent>(
                initialState: place?.state ?? restart?.state ?? model.initialState,
                reducer: reducerOfLoop,
                feedbacks: restart?.isOver == true ? [] : self.parts.map(\.feedback), until: until,
                mailbox: mailbox, clock: clock, journal: journal, selection: selection,
                reclaim: reclaim)
            // The explainer comes first: it reports on a state before the next step is reported.
            var observers: [any LoopObserver<Record, AppEvent>] =
                if let explainer { [explainer, reporter] } else { [reporter] }
            if let watch, watch.begins() { observers.append(watch) }
            if place == nil, let resumption {
                return (
                    spin.start(observers: observers, resuming: resumption, with: instead), {}
                )
            }
            guard let place else { return (spin.start(observers: observers), {}) }
            let succession = succession(of: place)
            return spin.loop(observers: observers, inPlaceOf: place.loop, succession)
        }
    }

    /// What the feedbacks of the loop share.
    func context(_ run: AppRun, journal: JournaledLoop?) -> LoopContext {
        LoopContext(
            model: model, config: manifest.config, gears: manifest.gears, runningGears: run.gears,
            frame: frame, pool: pool, drops: run.drops, journal: journal,
            epoch: run.journal?.epoch ?? 1, origin: run.origin)
    }

    /// Takes the memory of delivered events back.
    var reclaim: @Sendable (consuming AppEvent) -> Void { { [pool] in pool.keep($0) } }

    /// Continues what the feedbacks did in an earlier process.
    ///
    /// - Returns: what the engine continues.
    private func resume(_ restart: LoopRestart, _ journal: JournaledLoop?) -> LoopResumption<Record, AppEvent>
    {
        var resumption = restart.resumption
        for (index, part) in parts.enumerated() {
            switch part.kind {
            case .declared(let feedback):
                var epochs = restart.epochs[index]
                let next = restart.next[index]
                if let seen = restart.settled[index] {
                    if feedback.asksAnew(after: seen, in: restart.state) { epochs[next.number] = next.epoch }
                    feedback.settle(seen)
                }
                var number = next.number
                for step in restart.unseen[index] ?? [] where !restart.isOver {
                    guard feedback.asks(for: step.event, in: step.state) else { continue }
                    epochs[number] = step.epoch
                    number += 1
                    resumption.runs.append(
                        LoopResumption.EventRun(
                            feedback: index, number: 0, state: step.state, event: step.event))
                    if let unseen = step.index { journal?.unseen.append((index, unseen, step.state)) }
                }
                if restart.skipped.contains(index) { feedback.skip(restart.state) }
                feedback.resumeKeys(epochs)
            case .delay(let delay) where restart.over.contains(index): delay.settle()
            case .delay(let delay): delay.resume(after: .nanoseconds(restart.inCase))
            case .receiver: break
            }
        }
        return resumption
    }

    /// The events that stand for runs of an earlier process which are not begun again.
    private func emissions(
        of restart: LoopRestart, _ context: LoopContext, _ reporter: LoopReporter
    ) -> [AppEvent] {
        restart.emissions.flatMap { feedback, batch in
            // Safe because the state lives while the expressions are evaluated.
            unsafe frame.bind(.state, to: restart.state.unsafeBase)
            frame.takeTime()
            do throws(RunFault) { return try EmissionMapping(batch, of: context).events(frame) } catch {
                reporter.faulted(error, in: parts[feedback].feedback.name, state: restart.state)
                return []
            }
        }
    }

    /// Calls another version of a plugin from now on: between two steps, on the thread that drains the loop.
    func use(_ plugin: PluginVersion, as index: Int) {
        for part in parts {
            guard case .declared(let feedback) = part.kind, let effect = feedback.model.effect,
                effect.provider == .plugin(index)
            else { continue }
            feedback.use(
                EffectSource(
                    effect, plugin, services: plugins.services,
                    slot: instances.slot(for: effect, loop: self.index)))
        }
        if let reference = model.reducer, reference.plugin == index {
            native?.use(plugin.interface(of: reference))
        }
    }

    private var reducerOfLoop: Reducer<Record, AppEvent> {
        if opensHandles {
            return Reducer { [self] (state: inout Record, event: AppEvent) in try reduceHolding(&state, event)
            }
        }
        return Reducer { [self] (state: inout Record, event: AppEvent) in try reduce(&state, event) }
    }

    @inline(__always)
    func reduce(_ state: inout Record, _ event: AppEvent) throws -> Bool {
        trail.note(event.index)
        let isHandled =
            try native == nil ? reducer.reduce(&state, event) : reduceByPlugin(&state, event, native!)
        if isHandled, countsSteps {
            steps.advance()
            tap?.made(state)
        }
        return isHandled
    }

    /// True when effects of this loop open pointers that the app must close.
    var opensHandles: Bool {
        model.feedbacks.contains { !$0.isDisabled && $0.effect?.handles?.opens == true }
    }

    /// The same for a loop whose effects open pointers.
    func reduceHolding(_ state: inout Record, _ event: AppEvent) throws -> Bool {
        let isHandled = try reduce(&state, event)
        // The app closes the pointers in the state. Other pointers of the event are closed with the
        // event.
        if let hold = event.payload.kept as? HandleHold { hold.keep(state.pointers) }
        return isHandled
    }

    private func explainer(_ reporter: LoopReporter) -> LoopExplainer {
        LoopExplainer(
            model, config: manifest.config, time: { [self] in frame.time }, report: { reporter.explained($0) }
        )
    }

    /// The time of the last step, if the reducer depends on it.
    var stepTime: (@Sendable () -> Timestamp)? {
        guard model.reducerReadsNow else { return nil }
        return { [self] in Timestamp(nanosecondsSinceEpoch: frame.time) }
    }

    var delays: [LoopPart] {
        model.delays.map { event, delay in
            let made = DelayFeedback(event, delay, of: model, reducer: reducer)
            return LoopPart(.delay(made), made.feedback)
        }
    }

    /// The mailbox that the manifest declares.
    var bounds: MailboxCapacity { (model.mailbox ?? manifest.mailbox).capacityOfLoop }

    /// A mailbox bounds events from other threads. A loop that gets none needs no bounds.
    private var mailbox: MailboxCapacity {
        let isReached =
            tap != nil || model.mailbox != nil || !model.receives.isEmpty
            || model.feedbacks.contains { feedback in
                !feedback.isDisabled
                    && (!feedback.isCalledDirectly || feedback.effect?.isEmitting == true
                        || sharedExecutor(of: feedback) != nil)
            }
        return isReached ? bounds : .unbounded
    }

    /// The queue of the shared instance that the feedback's effect is called for.
    private func sharedExecutor(of feedback: FeedbackModel) -> LoopExecutor? {
        feedback.effect.flatMap { instances.slot(for: $0, loop: index) }?.sharedExecutor
    }

    /// The feedbacks that receive the messages of gears, in the order of `LoopModel.receivedGears`.
    ///
    /// - Parameter take: makes events of a message for the loop that has the feedbacks, in the feedback of an index.
    func receivers(
        _ context: LoopContext, _ run: AppRun, _ reporter: LoopReporter,
        _ take: @escaping @Sendable (MessageReceiver, AppMessage, Int) throws(RunFault) -> [AppEvent]
    ) -> [Feedback<Record, AppEvent>] {
        model.receivedGears.enumerated().map { feedback, gear in
            let receiver = MessageReceiver(of: context, gear: gear)
            return Feedback<Record, AppEvent>(
                "gear:\(manifest.gears[gear].name)", receivingFrom: run.gears.gear(gear, of: index),
                attached: { [gears = run.gears] in gears.attached() },
                emitting: { [weak reporter] message in
                    do throws(RunFault) { return try take(receiver, message, feedback) } catch {
                        reporter?.faulted(error, at: receiver.origin(of: message))
                        return []
                    }
                })
        }
    }

    /// Takes messages as events of the loop.
    private func taking(
        _ run: AppRun, _ journal: JournaledLoop?
    ) -> @Sendable (MessageReceiver, AppMessage, Int) throws(RunFault) -> [AppEvent] {
        { [weak run, index] receiver, message, feedback throws(RunFault) in
            let events = try receiver.events(message)
            journal?.received(message, feedback: feedback, events: events.count)
            if !events.isEmpty { run?.received(loop: index) }
            return events
        }
    }

    var until: (@Sendable (Record) throws -> Bool)? {
        guard let condition = model.until else { return nil }
        return { [self] state in
            // Safe because the engine keeps the state while it asks.
            unsafe frame.bind(.state, to: state.unsafeBase)
            return try condition.holds(frame)
        }
    }

    func feedback(
        _ feedback: FeedbackModel, _ context: LoopContext, _ reporter: LoopReporter
    ) -> LoopPart {
        let target: EffectTarget =
            if let effect = feedback.effect {
                .effect(plugins.source(of: effect, for: instances.slot(for: effect, loop: index)))
            } else { .nothing }
        // The loop keeps its feedbacks for good, its reporter until it has stopped.
        let runReporter = RunReporter(
            drops: context.drops, watch: model.key == nil ? watch : nil, index: context.feedback
        ) {
            [weak reporter] in reporter?.faulted($0, in: feedback.name, state: $1)
        }
        let made = DeclaredFeedback(feedback, context, target, runReporter)
        return LoopPart(.declared(made), made.feedback)
    }
}
