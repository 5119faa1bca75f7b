import App
import ArgumentParser
import Diagnostics
import Glibc
import HostLoop
import Journal
import Manifest
import PluginHost
import UnixSignals

/// A whole `run` or `dev`: it owns the signals, the output and the builds, and runs one app after the other.
final class AppHost: Sendable {
    /// One attempt to run an app to its end.
    private enum Round {
        /// The app ended so.
        case ended(AppOutcome)
        /// No app began, for reasons that were printed.
        case failed(ExitCode)

        /// The exit code of a command that ends with it; nil for 0.
        var status: ExitCode? {
            switch self {
            case .ended(let outcome): Summary.status(of: outcome)
            case .failed(let code): code
            }
        }
    }

    let path: String
    let options: RunOptions
    let view: RunView
    let stopper = RunStopper()
    /// What hears how the host is doing; nil without a service manager.
    let service = ServiceManager.present.map { ServiceReport($0) }
    /// One changed manifest after the other.
    let changes = Turns()
    /// What builds plugins; nil for `run`.
    let builder: PluginBuilder?
    /// What serves the page of the app; nil without one.
    let inspector: InspectorService?
    /// What learns what plugins do; nil if their rules count.
    let profile: SandboxProfile?
    /// What tries the versions of plugins; under `dev` also those that an app starts with.
    let trials = TrialRunner()
    /// Why the changed manifest was refused last, as it was shown.
    let refusal = Lock("")
    /// What runs now, or ran last.
    let current = Lock<RunningApp?>(nil)
    /// What waits for SIGHUP; nil while that is for the app.
    private let hangUps = Lock<Task<Void, Never>?>(nil)
    private let isOnce: Bool
    /// What runs, one after the other.
    let apps: AsyncStream<RunningApp>
    let entrance: AsyncStream<RunningApp>.Continuation

    /// - Parameters:
    ///   - path: the manifest's file.
    ///   - builder: what builds plugins under `dev`; nil for `run`.
    ///   - isOnce: whether the command ends with its app.
    ///   - profile: learns what plugins do, to which nothing is refused; nil: the rules of the manifest count.
    /// - Throws: an error of usage, or an exit code after the reason was printed.
    init(
        _ path: String, json: Bool, options: RunOptions, builder: PluginBuilder? = nil, isOnce: Bool = true,
        profile: SandboxProfile? = nil
    ) throws {
        if json && options.steps {
            throw ValidationError("`--json` prints every step; leave out `--steps`")
        }
        (self.path, self.options, self.builder, self.isOnce) = (path, options, builder, isOnce)
        self.profile = profile
        inspector = try Self.inspector(options, isDev: builder != nil)
        view = try RunView(json: json, options: options)
        (apps, entrance) = AsyncStream.makeStream()
    }

    /// Runs the app to its end, and under `dev` again until the user interrupts it.
    ///
    /// - Throws: the exit code when it is not 0, after everything was printed.
    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        // Trapped before anything is started, so that no signal finds the default action.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        // Before anything of a library runs: a constructor may take its time, or never return.
        let watcher = Task { await stopper.stop(at: signals) }
        defer {
            watcher.cancel()
            inspector?.stop()
            hangUps.withLock { $0 }?.cancel()
        }
        stopper.onReload { [self] in Task { await reload() } }
        if let service { stopper.onStop { service.stopping() } }
        if let builder {
            stopper.onStop { builder.end() }
            stopper.onLeaving { builder.kill() }
        }
        let status = try await rounds()
        inspector?.stop()
        watcher.cancel()
        try stopper.throwOutputFailure()
        // `exit` would wait for it.
        if BoundedLoading.isHeldUp { _exit(status?.rawValue ?? EXIT_SUCCESS) }
        if let status { throw status }
    }

    /// Has SIGHUP read the manifest again from now on, unless the app waits for that signal itself.
    func watchHangUps(unlessTakenBy manifest: Manifest) async {
        guard !manifest.takesHangUp, hangUps.withLock({ $0 }) == nil else { return }
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let watcher = Task { [stopper] in await stopper.reload(at: signals) }
        hangUps.withLock { $0 = watcher }
    }

    /// Runs the app, and under `dev` again after each wait; the exit code, nil for 0.
    private func rounds() async throws -> ExitCode? {
        var ended: AppOutcome?
        while true {
            let session = builder.map {
                DevSession(manifest: path, builder: $0, journal: options.journalOverride)
            }
            let round = try await round(session, after: ended)
            let last = current.withLock { $0 }
            if case .ended(let outcome) = round { ended = outcome }
            if let session, waits(after: round) {
                let isStopped = { [stopper] in stopper.isStopped }
                switch round {
                case .ended: await (last?.watches?.session ?? session).wait(to: "run again", or: isStopped)
                case .failed: await session.wait(to: "try again", or: isStopped)
                }
                if !isStopped() { continue }
            }
            await builder?.stop()
            if let ended { await last?.control?.end(ended) }
            last?.app.close()
            return isOnce || !stopper.isStopped ? round.status : nil
        }
    }

    /// Whether `dev` waits for the user: an app was there, or what is wrong can be put right by saving a file.
    private func waits(after round: Round) -> Bool {
        guard !isOnce, !stopper.isStopped else { return false }
        guard case .failed(let code) = round, current.withLock({ $0 }) == nil else { return true }
        return ![ExitStatus.unreadable, ExitStatus.usage].contains(code)
    }

    /// Runs the app, and those of changed manifests that follow it, to the end of the last one.
    ///
    /// - Parameter ended: how the app before ended; nil for the first one.
    /// - Throws: an exit code, after the reason was printed, when the app cannot be reached.
    private func round(_ session: DevSession?, after ended: AppOutcome?) async throws -> Round {
        let content = ManifestWatch.Content(of: path)
        let manifest: Manifest
        do {
            guard let loaded = try await load(session) else { return .ended(ended ?? .stopped) }
            manifest = loaded
        } catch let code as ExitCode { return .failed(code) }
        let started = ContinuousClock.now
        let watches = session.map {
            RunningApp.Watches(session: $0, manifest: ManifestWatch(path, content: content))
        }
        if let code = try await begin(manifest, watches, after: ended) { return .failed(code) }
        for await running in apps {
            let end = await running.run.end()
            guard end.outcome != .followed else {
                running.app.close()
                continue
            }
            if isOnce { service?.stopping() }
            var journalFailure: ExitCode?
            running.watches?.manifest.stop()
            await running.endWatches(isLast: isOnce || stopper.isStopped)
            if let failure = running.journal?.status.failure, let journal = running.manifest.journal {
                let code = JournalFault.report(failure, of: journal.path)
                if journal.whenFull == .stop { journalFailure = code }
            }
            if let failure = end.failure { ErrorOutput.write(view.renderer.render([failure], in: path)) }
            if !options.quiet { ErrorOutput.write(Summary(end, took: ContinuousClock.now - started).text) }
            return journalFailure.map { .failed($0) } ?? .ended(end.outcome)
        }
        throw CancellationError()
    }

    /// The manifest without faults, once its plugins are built; nil when the command was stopped meanwhile.
    ///
    /// - Throws: an exit code, after everything that is wrong was printed.
    private func load(_ session: DevSession?) async throws -> Manifest? {
        guard let session else {
            return try LoadedManifest.load(path, overrides: options.set, journal: options.journalOverride)
        }
        let outcome = try await session.load(overrides: options.set, renderer: view.renderer) {
            ErrorOutput.line(DevSession.line($0, $1))
        }
        if stopper.isStopped { return nil }
        let manifest = try LoadedManifest.accept(
            outcome.loaded, of: path, unless: outcome.isAboutFailedBuild)
        guard outcome.failed.isEmpty else { throw ExitStatus.unavailable }
        return manifest
    }
}
