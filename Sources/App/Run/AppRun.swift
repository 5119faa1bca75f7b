import Diagnostics
import Dispatch
import HostLoop
import PluginHost
import Records

/// A running app: its loops, its plugin instances, and how they end.
///
/// The app runs until its loops are done, nothing can happen any more, or `stop` is called. May be used
/// from any thread.
public final class AppRun: Sendable {
    /// How long effects may take to end once the app stops; plugins then have the same time again.
    public static let deadline: Duration = .seconds(5)

    /// A loop. In a succession, `cancel` cancels the effects of the loop before that do not continue.
    typealias StartedLoop = (loop: Loop<Record, AppEvent>, cancel: @Sendable () -> Void)

    /// Starts a loop, or makes a resting loop that takes the place of another one.
    typealias LoopStart = @Sendable (LoopPredecessor?) -> StartedLoop

    struct State {
        var run: AppRunState
        var assemblies: [LoopAssembly] = []
        var prepared: [LoopStart] = []
        var loops: [Loop<Record, AppEvent>] = []
        /// The instances of loops with a key, by loop.
        var kinds: [Int: LoopKind] = [:]
        var unfinished = 0
        var deadline: Cancellation?
        var isFinishing = false
        var end: AppEnd?
        /// Why no loop began.
        var failure: Diagnostic?
        /// Feedbacks whose effects did not end in time.
        var abandoned: [String] = []
        var waiting: [@Sendable (AppEnd) -> Void] = []
        /// Called once the loops have begun.
        var awaitingStart: [@Sendable () -> Void] = []
        var hasStarted = false
        var stopAtStart = false
        /// The host is making and starting instances; no loop runs yet.
        var isBeginning = false
        /// The loops have ended, and the host is stopping the plugins.
        var isEnding = false
        /// How many swaps had each outcome.
        var swaps: [SwapReport.Outcome: Int] = [:]
        /// A swap or a roll-back is under way, and not counted yet.
        var isSwitching = false
        var afterSwitch: [@Sendable () -> Void] = []
        /// The probations of new versions, by the index of the plugin; nil once the run has ended.
        var probations: [Int: Probation]? = [:]
        /// Pointers that effects have opened.
        var handles: [OpenHandles]
        /// Another run is about to take the place of this one. Until then, nothing is stopped.
        var isBeingSucceeded = false
        /// Another run has taken the place of this one, or is about to.
        var isFollowed = false
        /// The run whose place this one has taken, as long as effects of it run.
        var before: AppRun?
        /// Loops and counts of earlier runs that did not continue here.
        var past = Past()
    }

    /// What the counters of a run include from the runs before it.
    struct Past {
        var loops: [Loop<Record, AppEvent>] = []
        var kinds: [LoopKind] = []
        var lostMessages = 0
        var faults = 0
    }

    let state: Lock<State>
    /// The run that has the place of this one by now, if this one is followed.
    let newest: Newest<AppRun>
    let clock: any LoopClock
    let services: HostServices
    let gears: AppGears
    let life: PluginLife
    /// Tells the effects of this run from those of all others, in their keys.
    let origin: RunKeys.Origin
    /// Where the run is recorded; nil without a journal.
    let journal: AppJournal?
    /// The host's counts before the run began, which the run subtracts from its own.
    let earlierDrops: Int
    let earlierImages: RetiredImages.Counts
    /// Emissions that became no event.
    let drops: DropCount
    /// What is counted by name.
    let tally: AppTally

    /// - Parameter before: the run whose place this one is to take. This run continues its counts.
    init(
        _ run: AppRunState, clock: any LoopClock, services: HostServices, gears: AppGears,
        handles: [OpenHandles], life: PluginLife, journal: AppJournal?, tally: AppTally,
        succeeding before: AppRun?
    ) {
        self.journal = journal
        origin = journal.map { RunKeys.Origin(journal: $0.id) } ?? RunKeys.Origin()
        state = Lock(State(run: run, handles: handles))
        (self.clock, self.services, self.gears, self.life) = (clock, services, gears, life)
        newest = before?.newest ?? Newest()
        earlierDrops = before?.earlierDrops ?? services.lateEmissions
        drops = before?.drops ?? DropCount()
        self.tally = tally
        earlierImages = before?.earlierImages ?? services.images.counts
    }

    /// Adds a loop, which starts with the run.
    func add(_ start: @escaping LoopStart) {
        state.withLock { $0.prepared.append(start) }
    }

    /// Adds the assembly of the loop that was added last.
    func add(_ assembly: LoopAssembly) { state.withLock { $0.assemblies.append(assembly) } }

    /// Adds the instances of a loop with a key.
    func add(_ kind: LoopKind, loop: Int) { state.withLock { $0.kinds[loop] = kind } }

    /// The instances of a loop; nil for one without a key.
    func kind(ofLoop loop: Int) -> LoopKind? { state.withLock { $0.kinds[loop] } }

    /// The same once the loops have begun.
    func begunKind(ofLoop loop: Int) -> LoopKind? {
        state.withLock { $0.loops.isEmpty ? nil : $0.kinds[loop] }
    }

    /// Calls `body` with the assembly of a loop between two of its steps, on the draining thread. If the loop
    /// has not begun, it calls `body` at once, on this thread.
    ///
    /// No instance of a loop with a key is in a step meanwhile: all of them run on the serial executor of that loop.
    /// - Parameter body: must not call a function of a plugin.
    /// - Returns: false when the loop has stopped; `body` is not called then.
    func betweenSteps(ofLoop index: Int, _ body: @escaping @Sendable (LoopAssembly) -> Void) -> Bool {
        let running = state.withLock { state -> (loop: Loop<Record, AppEvent>, assembly: LoopAssembly)? in
            guard state.prepared.isEmpty else {
                body(state.assemblies[index])
                return nil
            }
            return (state.loops[index], state.assemblies[index])
        }
        return running.map { running in running.loop.betweenSteps { body(running.assembly) } } ?? true
    }

    /// Makes and starts the plugins' instances, then starts the loops. Must be called only once.
    ///
    /// If plugins have instances, it returns at once, before the loops have begun. Otherwise it returns when
    /// they have begun.
    public func start() {
        for table in state.withLock(\.handles) { table.beginRun() }
        let begins = state.withLock { state in
            precondition(!state.hasStarted, "a run starts once")
            state.isBeginning = !life.isEmpty && !state.stopAtStart
            state.hasStarted = state.isBeginning
            return state.isBeginning
        }
        guard begins else { return startLoops() }
        life.begin(restoring: journal?.kept ?? [:], undoing: { [self] in undoing($0) }) { [self] areStarted in
            if areStarted { return startLoops() }
            state.withLock { $0.isBeginning = false }
            effectsEnded()
        }
    }

    /// The host is about to stop and free the instances, as one failed or the app stops. The deadline of
    /// plugins begins.
    private func undoing(_ failure: Diagnostic?) {
        state.withLock { state in
            state.failure = failure
            if failure != nil { state.run.unavailable() }
        }
        setDeadline(ofLoops: true) { [self] in finish() }
    }

    private func startLoops() {
        let started = state.withLock { state -> (loops: [Loop<Record, AppEvent>], stops: Bool)? in
            (state.hasStarted, state.isBeginning) = (true, false)
            // The app stops already: no loop may begin.
            guard life.isEmpty || !state.stopAtStart else { return nil }
            // Starting a loop only queues it. Its first notifications wait for this lock, so the run knows
            // its loops when they come.
            state.loops = state.prepared.map { $0(nil).loop }
            state.prepared = []
            state.unfinished = state.loops.count + state.kinds.count
            return (state.loops, state.stopAtStart)
        }
        guard let (loops, stops) = started else { return effectsEnded() }
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        for kind in state.withLock(\.kinds).values { kind.instances.ended.notify { [self] in loopEnded() } }
        for body in state.withLock({ state in
            defer { state.awaitingStart = [] }
            return state.awaitingStart
        }) { body() }
        if stops || loops.isEmpty { stopLoops() }
    }

    /// Calls `body` once all instances are started and the loops have begun, at once if they have. It is never called
    /// when the app ends before. Only for a run that `start` starts.
    public func whenBegun(_ body: @escaping @Sendable () -> Void) {
        let hasBegun = state.withLock { state in
            if state.loops.isEmpty { state.awaitingStart.append(body) }
            return !state.loops.isEmpty
        }
        if hasBegun { body() }
    }

    /// Ends the app: its loops stop, and its running effects are cancelled on another thread.
    ///
    /// Returns at once, and may be called by an observer. Further calls do nothing.
    public func stop() {
        act(elsewhere: true) { $0.stop() }
        if isFollowed { newest.object?.stop() }
    }

    /// Waits for the end of the app, at most `deadline` after it began to stop.
    public func end() async -> AppEnd {
        await withCheckedContinuation { continuation in
            whenEnded { continuation.resume(returning: $0) }
        }
    }

    /// Calls `body` once, when the app has ended; at once if it has ended already.
    func whenEnded(_ body: @escaping @Sendable (AppEnd) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.waiting.append(body) }
            return state.end
        }
        if let end { body(end) }
    }

    /// The names of feedbacks whose effects run now, and other functions of plugins that run, for messages.
    public var running: [String] { runningFeedbacks + life.running }

    var runningFeedbacks: [String] {
        let (loops, kinds) = state.withLock { ($0.loops, $0.kinds.values.map(\.instances)) }
        return (loops.flatMap { $0.ended.running } + kinds.flatMap { $0.ended.running }).map(\.feedback)
    }

    /// The feedbacks of one loop whose effects run now.
    func running(inLoop index: Int) -> [String] {
        let runs =
            (loop(at: index)?.ended.running ?? []) + (kind(ofLoop: index)?.instances.ended.running ?? [])
        return runs.map(\.feedback)
    }

    /// A loop; nil if it has not begun. It may have ended.
    func loop(at index: Int) -> Loop<Record, AppEvent>? {
        state.withLock { $0.loops.indices.contains(index) ? $0.loops[index] : nil }
    }

    /// Whether the loops have begun. They may have ended since.
    public var hasBegun: Bool { state.withLock { !$0.loops.isEmpty } }

    /// The number of a loop's current state.
    func step(ofLoop index: Int) -> UInt64 {
        state.withLock { $0.assemblies.indices.contains(index) ? $0.assemblies[index].steps.current : 0 }
    }

    /// Nothing can happen in a loop by itself any more, or in one of the two parts of a loop with a key.
    func quiescent(loop: Int) {
        let kind = kind(ofLoop: loop)
        act { state in
            kind?.isQuiet == false ? .none : state.quiescent(loop, messagesWait: gears.hasUndelivered)
        }
    }

    /// A message is about to become events of a loop. Must be called before the message counts as delivered.
    func received(loop: Int) { state.withLock { $0.run.received(loop) } }

    func stopped(loop: Int, reachedUntil: Bool) {
        act { $0.stopped(loop, reachedUntil: reachedUntil, messagesWait: gears.hasUndelivered) }
    }

    /// A fault happened on a loop's executor.
    func faulted() { act { $0.faulted() } }

    /// A fault happened on a thread of a plugin. That thread may hold a lock that the plugin's own functions
    /// wait for.
    func faultedElsewhere() { act(elsewhere: true) { $0.faulted() } }

    /// - Parameter elsewhere: whether to stop the loops on another thread. Stopping a loop calls the
    ///   functions that its effects have registered for their cancellation.
    func act(elsewhere: Bool = false, _ decide: (inout AppRunState) -> AppRunState.Action) {
        let stops = state.withLock { state in
            guard case .stopLoops = decide(&state.run) else { return false }
            state.stopAtStart = true
            return state.hasStarted && !state.isBeingSucceeded
        }
        guard stops else { return }
        if elsewhere {
            // Functions of plugins may block: a task would hold up other tasks, and a shared queue may be
            // held up itself.
            DispatchQueue(label: "spinhost.stop").async { [self] in stopLoops() }
        } else {
            stopLoops()
        }
    }

    func stopLoops() {
        life.withdraw()
        let (loops, kinds, isBeginning) = state.withLock { ($0.loops, $0.kinds.values, $0.isBeginning) }
        // First, as stopping a loop may call a function that does not return.
        setDeadline(ofLoops: true) { [self] in isBeginning ? finish() : effectsEnded() }
        for loop in loops { loop.stop() }
        for kind in kinds { kind.instances.stop() }
        if loops.isEmpty, !isBeginning { effectsEnded() }
    }

    /// The probations of new versions.
    var probations: [Probation] { state.withLock { $0.probations.map { Array($0.values) } ?? [] } }

    /// Adds the probation of a new version, or ends it if the run has ended: then there is no roll-back any
    /// more.
    func onProbation(plugin: Int, _ probation: Probation) {
        let counts = state.withLock { state in
            state.probations?[plugin] = probation
            return state.probations != nil
        }
        if !counts { probation.end() }
    }

    /// A swap or a roll-back begins. The end of the run waits until `counted` is called.
    func switchBegins() { state.withLock { $0.isSwitching = true } }

    /// Counts the outcome of a swap or a roll-back.
    func counted(_ outcome: SwapReport.Outcome) {
        let waiting = state.withLock { state in
            state.swaps[outcome, default: 0] += 1
            state.isSwitching = false
            defer { state.afterSwitch = [] }
            return state.afterSwitch
        }
        for body in waiting { body() }
    }
}
