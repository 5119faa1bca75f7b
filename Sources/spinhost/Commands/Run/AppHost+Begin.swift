import App
import ArgumentParser
import Diagnostics
import HostLoop
import Journal
import Manifest

// An app that begins.
extension AppHost {
    /// Loads the app and starts it.
    ///
    /// - Returns: nil, or the exit code when a plugin or the journal is unavailable, or when the journal says that the
    ///   app has ended. The reason was printed.
    /// - Throws: an exit code, after the reason was printed, when the app cannot be reached.
    func begin(
        _ manifest: Manifest, _ watches: RunningApp.Watches?, after ended: AppOutcome?
    ) async throws -> ExitCode? {
        let before = current.withLock { $0 }
        let log = before?.log ?? LogOutlet(manifest.log, options: options)
        log.use(manifest.log)
        let printer = printer(for: manifest, log)
        await watchHangUps(unlessTakenBy: manifest)
        CrashFolder.standard.prepare(app: manifest.name, manifest: path)
        let app: App
        do {
            app = try App(
                manifest, log: { log.log($0) }, output: { printer.print($0) },
                trial: { [trials] in trials.verdict(of: $0) }, triesFirst: builder != nil,
                workerProgram: InstalledPackage.program, profile: profile)
        } catch {
            ErrorOutput.write(view.renderer.render(error.diagnostics, in: path))
            return ExitStatus.unavailable
        }
        let journal: AppJournal?
        do { journal = try self.journal(for: manifest) } catch let code as ExitCode {
            app.close()
            return code
        }
        // Without a trace of this process, the next one would use its keys again, whatever `full` says.
        if let journal, !app.begin(journal), let failure = journal.status.failure {
            journal.close()
            app.close()
            return JournalFault.report(failure, of: manifest.journal?.path ?? "")
        }
        let control = try await control(of: manifest.name, log, after: before)
        let bell = ControlBell()
        let port = port(of: manifest, bell)
        let run = app.makeRun(
            observer: printer, port: isReachable ? port : nil, journal: journal)
        log.usePosition { journal?.status.appended }
        let running = RunningApp(
            manifest, app, run, port, bell: bell, printer: printer, log: log, control: control,
            watches: watches, journal: journal, host: self)
        refusal.exchange("")
        // Before the loops begin: signals and clients may then ask for a reload.
        show(running)
        if let before, let ended {
            running.start(after: before, which: ended)
            before.app.close()
        } else {
            running.start(isQuiet: options.quiet)
        }
        watches?.manifest.start { [self] in await follow($0) }
        return nil
    }

    /// Opens the journal of an app; nil if it has none.
    ///
    /// - Throws: an exit code, after the reason was printed; 0 when the journal says that the app has ended.
    private func journal(for manifest: Manifest) throws -> AppJournal? {
        guard let model = manifest.journal else { return nil }
        let open = { [self] in
            try RunJournal(
                model: model, options: options, showsProgress: !options.quiet && !view.isJSON
            ).open(
                for: manifest, in: path, isQuiet: options.quiet, view.renderer)
        }
        let opened = try service?.recovering(open) ?? open()
        guard let opened else { throw ExitCode.success }
        return opened
    }

    /// What connects an app to its clients.
    func port(of manifest: Manifest, _ bell: ControlBell) -> AppPort {
        AppPort(
            manifest, countsFromStart: manifest.timesRuns, statesCame: { bell.ring() })
    }

    /// Whether clients can reach the app.
    var isReachable: Bool { options.control || inspector != nil || builder != nil }

    func printer(for manifest: Manifest, _ log: LogOutlet) -> RunPrinter {
        RunPrinter(
            steps: view.steps(of: manifest), explains: options.explain, output: view.output.standard,
            renderer: view.renderer, log: log, outputFailed: { [stopper] in stopper.stop(after: $0) })
    }

    /// The socket of an app: the one that the clients know; another one when the app has another name.
    ///
    /// - Parameter before: the app before, whose clients are told its end when the name is another one; nil for the first app.
    /// - Throws: an exit code, after the reason was printed, when the first app cannot be reached.
    func control(of app: String, _ log: LogOutlet, after before: RunningApp?) async throws -> RunControl? {
        guard isReachable else { return nil }
        guard let before else { return try RunControl(app, log: log) }
        if let control = before.control, control.app == app { return control }
        await before.control?.end(.followed)
        // The reason was printed; the app runs all the same.
        return try? RunControl(app, log: log)
    }

    /// This is what runs now: what a signal stops, and what is waited for next.
    func show(_ running: RunningApp) {
        current.withLock { $0 = running }
        stopper.onLeaving { [printer = running.printer, control = running.control, builder] in
            printer.leave()
            control?.leave()
            builder?.kill()
        }
        stopper.watch(running.run)
        if let inspector, let control = running.control { inspector.inspect(control.path) }
        entrance.yield(running)
    }
}
