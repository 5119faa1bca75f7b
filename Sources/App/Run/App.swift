import Diagnostics
import Dispatch
public import HostLoop
import Journal
public import Manifest
public import PluginHost
import Records

/// A checked manifest with its libraries loaded, ready to run.
public final class App: Sendable {
    /// The manifest that the app runs.
    public let manifest: Manifest
    let plugins: PluginSet
    private let clock: any LoopClock
    /// Swaps plugins one after the other, off the loops' threads, as loading a library is slow.
    let swaps = DispatchQueue(label: "spinhost.swap")
    /// Tries a new version in another process; nil if new versions are not tried.
    let trial: Trial?

    typealias Trial = @Sendable (SwapTrial) -> SwapTrial.Verdict

    /// Loads every plugin that a feedback uses, and prepares all calls. Only constructors of the libraries
    /// run here.
    ///
    /// - Parameters:
    ///   - clock: the clock of timers.
    ///   - log: takes a line that a plugin logs; called on any thread.
    ///   - output: takes a line that the app prints (`std:print`), and returns whether it was written; called
    ///     on any thread.
    ///   - trial: tries a new version of a plugin in another process, before this process loads it. It is
    ///     called again, while calls wait, before the new instances take over saved states. It may block.
    ///     Nil: new versions are not tried.
    ///   - triesFirst: whether the libraries that the app starts with are tried too.
    ///   - workerProgram: the program that is started for plugins with `isolation = "process"`, an absolute path:
    ///     its first argument is `WorkerSetup.verb`, and it must call `WorkerProgram.run`. Nil: such plugins are
    ///     refused.
    ///   - profile: learns what its plugins do, to which nothing is refused. Nil: the rules of the manifest count.
    /// - Throws: `AppRefusal` with every plugin that cannot be used.
    public init(
        _ manifest: Manifest, clock: any LoopClock = ContinuousLoopClock(),
        log: @escaping @Sendable (PluginLogLine) -> Void, output: @escaping @Sendable (String) -> Bool,
        trial: (@Sendable (SwapTrial) -> SwapTrial.Verdict)? = nil, triesFirst: Bool = false,
        workerProgram: String? = nil, profile: SandboxProfile? = nil
    ) throws(AppRefusal) {
        self.trial = trial
        self.manifest = manifest
        self.clock = clock
        let services = HostServices(
            clock: clock, wallTime: { WallClock.nanoseconds }, log: log, output: output)
        plugins = try PluginSet(
            manifest, services: services, workerProgram: workerProgram, profile: profile,
            trial: triesFirst ? trial : nil)
    }

    /// Loads the libraries of a changed manifest that `before` has not loaded, and shares the others with it,
    /// except those of `renewed` plugins.
    init(_ manifest: Manifest, succeeding before: App, renewed: Set<String>) throws(AppRefusal) {
        (self.manifest, clock, trial) = (manifest, before.clock, before.trial)
        plugins = try PluginSet(
            manifest, services: before.plugins.services, succeeding: before.plugins, renewed: renewed,
            trial: trial)
    }

    /// Makes a run of the app; `AppRun.start()` starts it.
    ///
    /// - Parameters:
    ///   - observer: sees every step; without one, steps cost less.
    ///   - port: made for this manifest and only this run. The run can be reached through it.
    ///   - journal: records the run, which continues where the journal ends.
    public func makeRun(
        observer: (any AppObserver)? = nil, port: AppPort? = nil, journal: AppJournal? = nil
    ) -> AppRun {
        makeRun(observer: observer, port: port, journal: journal, succeeding: nil)
    }

    /// Writes into a journal that the app begins, and waits until that is durable.
    ///
    /// - Returns: false when it cannot be written (`AppJournal.status`): no run may be made.
    public func begin(_ journal: AppJournal) -> Bool { journal.begin(with: journaledPlugins) }

    /// - Parameters:
    ///   - before: the run whose place the new one is to take, in a succession.
    func makeRun(
        observer: (any AppObserver)?, port: AppPort?, journal: AppJournal? = nil,
        succeeding before: AppRun?
    ) -> AppRun {
        let instances = plugins.makeInstances(
            succeeding: before?.life.slots ?? [])
        if before == nil { journal?.begin(with: journaledPlugins) }
        let tally = before?.tally ?? AppTally()
        let run = AppRun(
            AppRunState(
                loops: manifest.loops.map { ($0.name, $0.key == nil && $0.until != nil) },
                stopsOnFault: manifest.onFault == .stop, stays: manifest.stays || port != nil),
            clock: clock, services: plugins.services, gears: AppGears(manifest, tally: tally),
            handles: plugins.handles, life: plugins.life(instances), journal: journal, tally: tally,
            succeeding: before)
        for (message, loops) in journal?.undelivered ?? [] { run.gears.send(message, to: loops) }
        for (index, model) in manifest.loops.enumerated() {
            let assembly = LoopAssembly(
                model, index: index, of: manifest, plugins: plugins, instances: instances, port: port)
            assembly.prepare(run, clock: clock, observer: observer)
            run.add(assembly)
        }
        if before == nil { journal?.stops(run) }
        port?.attach(to: run)
        return run
    }

    /// Starts every loop from its initial state.
    ///
    /// - Parameter observer: sees every step; without one, steps cost less.
    public func start(observer: (any AppObserver)? = nil) -> AppRun {
        let run = makeRun(observer: observer)
        run.start()
        return run
    }

    /// Makes a watchdog, which reports calls of plugins that hold a loop of the run; `Watchdog.start()`
    /// starts it.
    ///
    /// - Parameters:
    ///   - observer: told of each held loop (`AppObserver.held`).
    ///   - log: takes a line for each call that lasts too long; called on the watchdog's thread.
    ///   - looked: called on the watchdog's thread after each look, with whether a call holds a loop beyond the
    ///     deadline.
    public func makeWatchdog(
        of run: AppRun, observer: (any AppObserver)? = nil,
        log: @escaping @Sendable (PluginLogLine) -> Void,
        looked: (@Sendable (_ isHeld: Bool) -> Void)? = nil
    ) -> Watchdog {
        Watchdog(
            run, manifest: manifest, plugins: plugins, clock: clock, observer: observer, log: log,
            looked: looked)
    }

    /// The metrics of the plugins, of this app and of those whose place it has taken.
    public var metrics: [PluginMetric] { plugins.services.metrics.snapshot() }

    /// The plugins of the manifest that a loop calls.
    public var loadedPlugins: [PluginModel] {
        manifest.plugins.indices.filter { plugins.plugin(.plugin($0)) != nil }.map { manifest.plugins[$0] }
    }

    /// Removes the private copies of the libraries. The libraries stay mapped, as running effects may need
    /// them.
    public func close() { plugins.close() }
}
