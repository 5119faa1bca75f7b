import Diagnostics
import Dispatch
import HostLoop
import PluginHost
import Records

/// A running app: its loops, and how they end.
///
/// The app runs until its loops are done, nothing can happen any more, or `stop` is called. May be used
/// from any thread.
public final class AppRun: Sendable {
    /// How long effects may take to come to their end once the app stops, and plugins after them.
    public static let deadline: Duration = .seconds(5)

    /// A loop, and what cancels the effects with which nothing goes on in the one whose place it takes.
    typealias StartedLoop = (loop: Loop<Record, AppEvent>, cancel: @Sendable () -> Void)

    /// Starts a loop, or makes one that rests where another one is.
    typealias LoopStart = @Sendable (LoopPlace?) -> StartedLoop

    struct State {
        var run: AppRunState
        var assemblies: [LoopAssembly] = []
        var prepared: [LoopStart] = []
        var loops: [Loop<Record, AppEvent>] = []
        var unfinished = 0
        var deadline: Cancellation?
        var isFinishing = false
        var end: AppEnd?
        /// Why no loop began.
        var failure: Diagnostic?
        /// Feedbacks that the end did not wait for.
        var abandoned: [String] = []
        var waiting: [@Sendable (AppEnd) -> Void] = []
        var hasStarted = false
        var stopAtStart = false
        /// The plugins are made and started, while no loop runs yet.
        var isBeginning = false
        /// The loops have ended, and the plugins are stopped.
        var isEnding = false
        /// What became of swaps.
        var swaps: [SwapReport.Outcome: Int] = [:]
        /// Loops are being given another version, which is not counted yet.
        var isFlipping = false
        var afterFlip: [@Sendable () -> Void] = []
        /// Of versions that are on probation while this runs, by their plugins; nil from its end on.
        var probations: [Int: Probation]? = [:]
        /// Pointers that effects have opened.
        var handles: [OpenHandles]
        /// Another run is about to take the place of this one: nothing is stopped meanwhile.
        var isHandingOver = false
        /// Another run has taken the place of this one, or is about to.
        var isFollowed = false
        /// The run whose place this one has taken, as long as effects of it run.
        var before: AppRun?
        /// What runs whose place this one has taken had that did not go on.
        var past = Past()
    }

    /// What counts still of runs before.
    struct Past {
        var loops: [Loop<Record, AppEvent>] = []
        var lostMessages = 0
        var faults = 0
    }

    let state: Lock<State>
    /// The run that has the place of this one by now, if this one is followed.
    let newest: Newest<AppRun>
    let clock: any LoopClock
    let services: HostServices
    /// The gears between the loops.
    let gears: AppGears
    /// The instances of plugins.
    let life: PluginLife
    /// What was counted before it began.
    let earlierDrops: Int
    let earlierImages: RetiredImages.Counts
    /// Emissions that nobody wants.
    let drops: DropCount

    /// - Parameter before: the run whose place this one is to take, if that comes about; it counts on.
    init(
        _ run: AppRunState, clock: any LoopClock, services: HostServices, gears: AppGears,
        handles: [OpenHandles], life: PluginLife, goingOnWith before: AppRun?
    ) {
        state = Lock(State(run: run, handles: handles))
        (self.clock, self.services, self.gears, self.life) = (clock, services, gears, life)
        newest = before?.newest ?? Newest()
        earlierDrops = before?.earlierDrops ?? services.lateEmissions
        drops = before?.drops ?? DropCount()
        earlierImages = before?.earlierImages ?? services.images.counts
    }

    /// A loop of the run, to be started with it.
    func add(_ start: @escaping LoopStart) {
        state.withLock { $0.prepared.append(start) }
    }

    /// What the loop that was added last is made of.
    func add(_ assembly: LoopAssembly) { state.withLock { $0.assemblies.append(assembly) } }

    /// Has `body` called with what a loop is made of: between two of its steps, on the thread that drains it, or at once when it has
    /// not begun; false when it has stopped. `body` calls nothing of a plugin.
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

    /// Makes and starts the instances of plugins, then starts the loops. Once for each run; returns at once when plugins have
    /// instances, and else when the loops have begun.
    public func start() {
        for table in state.withLock(\.handles) { table.beginRun() }
        let begins = state.withLock { state in
            precondition(!state.hasStarted, "a run starts once")
            state.isBeginning = !life.isEmpty && !state.stopAtStart
            state.hasStarted = state.isBeginning
            return state.isBeginning
        }
        guard begins else { return startLoops() }
        life.begin(undoing: { [self] in undoing($0) }) { [self] areStarted in
            if areStarted { return startLoops() }
            state.withLock { $0.isBeginning = false }
            effectsEnded()
        }
    }

    /// The plugins that were made and started are stopped and freed, as one failed or the app stops: within the deadline of plugins.
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
            // No loop begins when its plugins are to be stopped.
            guard life.isEmpty || !state.stopAtStart else { return nil }
            // Starting a loop only queues it. What it tells meanwhile waits for the lock, so nothing is told of a run
            // that does not know its loops.
            state.loops = state.prepared.map { $0(nil).loop }
            state.prepared = []
            state.unfinished = state.loops.count
            return (state.loops, state.stopAtStart)
        }
        guard let (loops, stops) = started else { return effectsEnded() }
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        if stops || loops.isEmpty { stopLoops() }
    }

    /// Ends the app: soon no event is taken any more, and running effects are cancelled, on a thread of its
    /// own. Returns at once, also to an observer; repeating it does nothing.
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

    /// Calls `body` once at the end: at once if that is past.
    func whenEnded(_ body: @escaping @Sendable (AppEnd) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.waiting.append(body) }
            return state.end
        }
        if let end { body(end) }
    }

    /// The feedbacks whose effects run now, and what else of plugins runs.
    public var running: [String] { runningFeedbacks + life.running }

    var runningFeedbacks: [String] {
        state.withLock { $0.loops }.flatMap { $0.ended.running }.map(\.feedback)
    }

    /// The same in one loop.
    func running(inLoop index: Int) -> [String] {
        loop(at: index)?.ended.running.map(\.feedback) ?? []
    }

    /// A loop that has begun, ended or not.
    func loop(at index: Int) -> Loop<Record, AppEvent>? {
        state.withLock { $0.loops.indices.contains(index) ? $0.loops[index] : nil }
    }

    /// Whether its loops have begun.
    public var hasBegun: Bool { state.withLock { !$0.loops.isEmpty } }

    /// The number of the state that a loop is in.
    func step(ofLoop index: Int) -> UInt64 {
        loop(at: index)?.counters.steps ?? 0
    }

    func quiescent(loop: Int) { act { $0.quiescent(loop, messagesWait: gears.hasUndelivered) } }

    /// A message is about to become events of a loop; told before it counts as delivered.
    func received(loop: Int) { state.withLock { $0.run.received(loop) } }

    func stopped(loop: Int, reachedUntil: Bool) {
        act { $0.stopped(loop, reachedUntil: reachedUntil, messagesWait: gears.hasUndelivered) }
    }

    /// Something failed on the loop's executor.
    func faulted() { act { $0.faulted() } }

    /// Something failed on a thread of a plugin, which may hold what its own functions wait for.
    func faultedElsewhere() { act(elsewhere: true) { $0.faulted() } }

    /// - Parameter elsewhere: whether loops are stopped on another thread: stopping one calls the functions that its
    ///   effects registered for their cancellation.
    func act(elsewhere: Bool = false, _ decide: (inout AppRunState) -> AppRunState.Action) {
        let stops = state.withLock { state in
            guard case .stopLoops = decide(&state.run) else { return false }
            state.stopAtStart = true
            return state.hasStarted && !state.isHandingOver
        }
        guard stops else { return }
        if elsewhere {
            // Not a task: the functions of plugins may take their time, and would keep others from running. Nor a shared queue, which
            // others may keep from running.
            DispatchQueue(label: "spinhost.stop").async { [self] in stopLoops() }
        } else {
            stopLoops()
        }
    }

    func stopLoops() {
        life.withdraw()
        let (loops, isBeginning) = state.withLock { ($0.loops, $0.isBeginning) }
        // First, as it must come also when a plugin's function does not return.
        setDeadline(ofLoops: true) { [self] in isBeginning ? finish() : effectsEnded() }
        for loop in loops { loop.stop() }
        if loops.isEmpty, !isBeginning { effectsEnded() }
    }

    /// Of versions that are on probation.
    var probations: [Probation] { state.withLock { $0.probations.map { Array($0.values) } ?? [] } }

    /// A version is on probation; nobody goes back from it once this has ended.
    func onProbation(plugin: Int, _ probation: Probation) {
        let counts = state.withLock { state in
            state.probations?[plugin] = probation
            return state.probations != nil
        }
        if !counts { probation.end() }
    }

    /// Loops are about to be given another version: the end is told when that has been counted.
    func flipBegins() { state.withLock { $0.isFlipping = true } }

    /// Something became of a swap.
    func counted(_ outcome: SwapReport.Outcome) {
        let waiting = state.withLock { state in
            state.swaps[outcome, default: 0] += 1
            state.isFlipping = false
            defer { state.afterFlip = [] }
            return state.afterFlip
        }
        for body in waiting { body() }
    }
}
