import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import PluginHost
import UnixSignals

/// Runs an app to its end: loads it, shows it, stops it on a signal, and says what came of it.
struct AppRunner {
    let manifest: String
    let json: Bool
    let options: RunOptions
    /// Whether each plugin whose library changes is swapped; the app listens for requests then, as with `--control`.
    var swapsLibraries = false

    /// - Throws: the exit code of the run when it is not 0, after everything was printed.
    func run() async throws {
        if json && options.steps {
            throw ValidationError("`--json` prints every step; leave out `--steps`")
        }
        signal(SIGPIPE, SIG_IGN)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        // Trapped before anything is started, so that no signal finds the default action.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let stopper = RunStopper()
        // Before anything of a library runs: a constructor may take its time, or never return.
        let watcher = Task { await stopper.stop(at: signals) }
        defer { watcher.cancel() }
        let content = ManifestWatch.content(of: manifest)
        let builder = swapsLibraries ? PluginBuilder() : nil
        let session = builder.map { DevSession(manifest: self.manifest, builder: $0) }
        let loaded: Manifest.Loaded
        if let session, let builder {
            stopper.onStop { builder.end() }
            stopper.onLeaving { builder.kill() }
            loaded = try await session.load(overrides: options.set, renderer: renderer) {
                ErrorOutput.line(DevSession.line($0, $1))
            }
            if stopper.isStopped { return await session.stop() }
        } else {
            loaded = App.loadManifest(path: manifest, overrides: options.set)
        }
        let manifest = try LoadedManifest.accept(loaded, of: manifest)
        let view = try RunView(json: json, options: options, renderer: renderer)
        let started = ContinuousClock.now
        let stage = AppStage(
            path: self.manifest, content: content, options: options, view: view, stopper: stopper,
            builder: builder)
        let end = try await stage.run(manifest, session: session)
        watcher.cancel()
        if let failure = end.failure { ErrorOutput.write(renderer.render([failure], in: self.manifest)) }
        if !options.quiet { ErrorOutput.write(Summary(end, took: ContinuousClock.now - started).text) }
        try stopper.throwOutputFailure()
        let status = Summary.status(of: end.outcome)
        // `exit` would wait for it.
        if BoundedLoading.isHeldUp { _exit(status?.rawValue ?? EXIT_SUCCESS) }
        if let status { throw status }
    }
}
