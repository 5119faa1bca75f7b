import App
import ArgumentParser
import Diagnostics
import Glibc
import Logging
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
        let stdoutIsTerminal = Terminal.isTerminal(STDOUT_FILENO)
        let stdoutHasColor = Terminal.hasColor(STDOUT_FILENO)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        // Trapped before anything is started, so that no signal finds the default action.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let stopper = RunStopper()
        // Before anything of a library runs: a constructor may take its time, or never return.
        let watcher = Task { await stopper.stop(at: signals) }
        defer { watcher.cancel() }
        let session = swapsLibraries ? DevSession(manifest: manifest) : nil
        if let session {
            stopper.onStop(session.interrupt)
            stopper.onLeaving(session.leave)
            try await session.prepare(renderer: renderer, manifest: manifest)
            if stopper.isStopped { return await session.stop() }
        }
        let manifest = try LoadedManifest.load(manifest, overrides: options.set)
        let logger = LogLines.logger(
            LogModel(
                level: options.logLevel ?? manifest.log.level,
                format: options.logFormat ?? manifest.log.format))
        let output = try CommandOutput()
        let started = ContinuousClock.now
        let toOutput = !manifest.printsOutput
        let printer = RunPrinter(
            steps: steps(
                toOutput: toOutput,
                isTerminal: toOutput ? stdoutIsTerminal : Terminal.isTerminal(STDERR_FILENO),
                hasColor: toOutput ? stdoutHasColor : Terminal.hasColor(STDERR_FILENO)),
            explains: options.explain, output: output.standard, renderer: renderer,
            outputFailed: { stopper.stop(after: $0) })
        let control = options.control || swapsLibraries ? try RunControl(manifest, logger: logger) : nil
        // Also when the app cannot be loaded.
        defer { control?.leave() }
        stopper.onLeaving { [leave = session?.leave] in
            control?.leave()
            leave?()
        }
        let app: App
        do {
            app = try App(manifest, log: { logger.log($0) }, output: { printer.print($0) })
        } catch {
            ErrorOutput.write(renderer.render(error.diagnostics, in: self.manifest))
            throw ExitStatus.unavailable
        }
        let run = app.makeRun(observer: printer, port: control?.port)
        let watchdog = app.makeWatchdog(of: run, observer: printer, log: { logger.log($0) })
        stopper.watch(run)
        watchdog.start()
        run.start()
        let swap = { @Sendable (plugin: String) in
            let report = await app.swap(plugin, in: run)
            printer.swapped(report)
            return report
        }
        control?.start(isQuiet: options.quiet, swap: swap)
        session?.start(app, printer: printer) { _ = await swap($0) }
        let end = await run.end()
        await session?.stop()
        await control?.end(end.outcome)
        watchdog.stop()
        watcher.cancel()
        app.close()
        printer.flush()
        if let failure = end.failure { ErrorOutput.write(renderer.render([failure], in: self.manifest)) }
        if !options.quiet { ErrorOutput.write(Summary(end, took: ContinuousClock.now - started).text) }
        try stopper.throwOutputFailure()
        if let status = Summary.status(of: end.outcome) { throw status }
    }

    private func steps(toOutput: Bool, isTerminal: Bool, hasColor: Bool) -> RunPrinter.Steps {
        if json { return .json }
        guard !options.quiet, options.steps || options.explain || isTerminal else { return .none }
        return .lines(
            StepLine(color: hasColor), toOutput: toOutput, isThrottled: isTerminal && !options.explain)
    }
}
