import App
import Diagnostics
import HostLoop
import Manifest

/// Where an app runs, and under `dev` those that follow it: when its manifest changes, the app of the changed one goes on where it is.
final class AppStage: Sendable {
    private let path: String
    private let options: RunOptions
    private let view: RunView
    private let stopper: RunStopper
    /// What builds plugins; nil outside of `dev`.
    private let builder: PluginBuilder?
    /// Used under `dev` only.
    private let watch: ManifestWatch
    /// Why the changed manifest was refused last, as it was shown.
    private let refusal = Lock("")
    /// What runs now, once it has begun.
    private let scene = Lock<AppScene?>(nil)
    /// What runs, one after the other.
    private let scenes: AsyncStream<AppScene>
    private let entrance: AsyncStream<AppScene>.Continuation

    /// - Parameters:
    ///   - path: the manifest's file.
    ///   - content: what it had in it when it was loaded.
    ///   - builder: what builds plugins, and is ended with the stopper's run; nil outside of `dev`.
    init(
        path: String, content: [UInt8], options: RunOptions, view: RunView, stopper: RunStopper,
        builder: PluginBuilder?
    ) {
        (self.path, self.options, self.view) = (path, options, view)
        (self.stopper, self.builder) = (stopper, builder)
        watch = ManifestWatch(path, content: content)
        (scenes, entrance) = AsyncStream.makeStream()
    }

    /// Runs the app of a manifest, and those that follow it, to the end of the last one.
    ///
    /// - Throws: an exit code, after the reason was printed, when the app cannot be loaded or reached.
    func run(_ manifest: Manifest, session: DevSession?) async throws -> AppEnd {
        try begin(manifest, session)
        if builder != nil { watch.start { [self] in await follow($0) } }
        defer { watch.stop() }
        for await current in scenes {
            let end = await current.run.end()
            defer { current.app.close() }
            guard end.outcome != .followed else { continue }
            watch.stop()
            await current.end(end.outcome)
            return end
        }
        throw CancellationError()
    }

    /// Loads the app and starts it.
    private func begin(_ manifest: Manifest, _ session: DevSession?) throws {
        let (printer, log) = (printer(for: manifest), LogOutlet(manifest.log, options: options))
        let app: App
        do {
            app = try App(
                manifest, log: { log.log($0) }, output: { printer.print($0) }, trial: TrialRequest.verdict)
        } catch {
            ErrorOutput.write(view.renderer.render(error.diagnostics, in: path))
            throw ExitStatus.unavailable
        }
        let bell = ControlBell()
        let port = AppPort(manifest, statesCame: { bell.ring() })
        let control = options.control || builder != nil ? try RunControl(manifest.name, log: log) : nil
        let run = app.makeRun(observer: printer, port: control.map { _ in port })
        let scene = AppScene(
            manifest, app, run, port, bell: bell, printer: printer, log: log, session: session,
            control: control, retryManifest: watch.retry)
        show(scene)
        scene.start(isQuiet: options.quiet)
        entrance.yield(scene)
    }

    private func printer(for manifest: Manifest) -> RunPrinter {
        RunPrinter(
            steps: view.steps(of: manifest), explains: options.explain, output: view.output.standard,
            renderer: view.renderer, outputFailed: { [stopper] in stopper.stop(after: $0) })
    }

    /// This is what runs now: what stops it, and what is done when it is left.
    private func show(_ new: AppScene) {
        scene.withLock { $0 = new }
        stopper.onLeaving { [control = new.control, builder] in
            control?.leave()
            builder?.kill()
        }
        stopper.watch(new.run)
    }

    /// The manifest's file has another content: once it is without faults, its app goes on where the one is that runs.
    ///
    /// - Returns: when it is too early for that, as plugins are still being started or the file is being saved, it is to be told again.
    private func follow(_ change: ManifestWatch.Change) async -> ManifestWatch.Answer {
        guard let builder, let current = scene.withLock({ $0 }), current.run.hasBegun else {
            return .tooEarly
        }
        guard !stopper.isStopped else { return .taken }
        // Libraries that are built for the changed manifest may not do for the app that runs.
        current.session?.hold()
        if !change.isRetry { refusal.exchange("") }
        let answer = await follow(change, current, DevSession(manifest: path, builder: builder))
        if answer != .taken { current.session?.release() }
        return answer
    }

    private func follow(
        _ change: ManifestWatch.Change, _ current: AppScene, _ session: DevSession
    ) async -> ManifestWatch.Answer {
        let loaded: Manifest.Loaded
        do {
            loaded = try await session.load(
                overrides: options.set, isRetry: change.isRetry, renderer: view.renderer,
                notBuilt: current.printer.notBuilt)
        } catch {
            // A source that is being saved must not end the wait for a library.
            return change.isRetry ? .awaitsLibrary : refuse(current, [])
        }
        guard !stopper.isStopped else { return .taken }
        Redaction.conceal(loaded.secrets)
        guard let manifest = loaded.manifest else {
            return ManifestWatch.has(path, change) ? refuse(current, loaded.diagnostics) : .tooEarly
        }
        ErrorOutput.write(view.renderer.render(loaded.diagnostics, in: path))
        return await handOver(current, to: manifest, session)
    }

    private func handOver(
        _ current: AppScene, to manifest: Manifest, _ session: DevSession
    ) async -> ManifestWatch.Answer {
        let (bell, printer) = (ControlBell(), printer(for: manifest))
        let port = AppPort(manifest, statesCame: { bell.ring() })
        // Until the clients watch the loops, so that they miss no state.
        for loop in manifest.loops.indices { port.follow(loop: loop) }
        let result = await current.app.handOver(
            current.run, to: manifest, observer: printer, port: port,
            willGoOn: { [path, options] in
                current.printer.flush()
                current.log.use(manifest.log, options: options)
                current.printer.changedManifest(path, .swapped, [])
            })
        switch result {
        case .failure(let reasons): return refuse(current, reasons.diagnostics)
        case .success(let follower):
            let control = await control(of: manifest.name, after: current)
            let next = AppScene(
                manifest, follower.app, follower.run, port, bell: bell, printer: printer,
                log: current.log, session: session, control: control, retryManifest: watch.retry)
            show(next)
            await next.goOn(from: current, telling: RunPrinter.changedManifest(path, .swapped))
            entrance.yield(next)
            return .taken
        }
    }

    /// The socket that the clients know; another one when the app has another name, of which they are told the end.
    private func control(of app: String, after current: AppScene) async -> RunControl? {
        if let control = current.control, control.app == app { return control }
        await current.control?.end(.followed)
        // The reason was printed; the app goes on.
        return try? RunControl(app, log: current.log)
    }

    private func refuse(_ current: AppScene, _ reasons: [Diagnostic]) -> ManifestWatch.Answer {
        let shown = view.renderer.render(reasons, in: path)
        guard shown.isEmpty || refusal.exchange(shown) != shown else { return .awaitsLibrary }
        current.printer.changedManifest(path, .refused, reasons)
        current.control?.refused(RunPrinter.changedManifest(path, .refused, reasons))
        return reasons.contains(where: \.isAboutLibrary) ? .awaitsLibrary : .refused
    }
}

extension Diagnostic {
    /// Whether another library may do: codes with `P` are about plugins, but for that of the states.
    fileprivate var isAboutLibrary: Bool {
        severity == .error && code.rawValue.hasPrefix("P") && code != .notCarried
    }
}
