import App
import Diagnostics
import HostLoop
import Manifest

// A manifest that changes while its app runs.
extension AppHost {
    /// The manifest's file has another content: once it is without faults, its app continues where the one is that runs.
    ///
    /// - Returns: `tooEarly` while plugins are being started or the file is being saved.
    func follow(_ change: ManifestWatch.Change) async -> ManifestWatch.Answer {
        guard let builder, let running = current.withLock({ $0 }), running.run.hasBegun else {
            return .tooEarly
        }
        // After the end of an app the changed manifest is loaded for the next one.
        guard !stopper.isStopped, !running.run.isEnding else { return .taken }
        // Libraries that are built for the changed manifest may not do for the app that runs.
        running.watches?.session.hold()
        if !change.isRetry { refusal.exchange("") }
        let answer = await follow(
            change, running, DevSession(manifest: path, builder: builder, journal: options.journalOverride))
        if answer != .taken { running.watches?.session.release() }
        return answer
    }

    private func follow(
        _ change: ManifestWatch.Change, _ running: RunningApp, _ session: DevSession
    ) async -> ManifestWatch.Answer {
        let loaded: Manifest.Loaded
        do {
            loaded = try await session.load(
                overrides: options.set, isRetry: change.isRetry, renderer: view.renderer,
                notBuilt: running.printer.notBuilt
            ).loaded
        } catch {
            // A source that is being saved must not end the wait for a library.
            return change.isRetry ? .awaitsLibrary : refuse(change, running, session, [])
        }
        guard !stopper.isStopped else { return .taken }
        Redaction.conceal(loaded.secrets)
        guard let manifest = loaded.manifest else {
            return ManifestWatch.has(path, change)
                ? refuse(change, running, session, loaded.diagnostics) : .tooEarly
        }
        // A part of a manifest that is being saved may be a manifest, too: with fewer loops.
        guard ManifestWatch.has(path, change) else { return .tooEarly }
        ErrorOutput.write(view.renderer.render(loaded.diagnostics, in: path))
        let reasons = Self.changesOfJournal(from: running.manifest, to: manifest)
        guard reasons.isEmpty else { return refuse(change, running, session, reasons) }
        return await handOver(change, running, to: manifest, session)
    }

    private func handOver(
        _ change: ManifestWatch.Change, _ running: RunningApp, to manifest: Manifest, _ session: DevSession
    ) async -> ManifestWatch.Answer {
        let (bell, printer) = (ControlBell(), printer(for: manifest))
        let port = AppPort(manifest, statesCame: { bell.ring() })
        // Until the clients watch the loops, so that they miss no state.
        for loop in manifest.loops.indices { port.follow(loop: loop) }
        let result = await running.app.succeed(
            running.run, by: manifest, observer: printer, port: port,
            willSucceed: { [path, options] settings in
                running.printer.flush()
                running.log.use(manifest.log, options: options)
                running.printer.changedManifest(path, .swapped, settings: settings)
            })
        switch result {
        case .failure(let refusal):
            let answer = refuse(change, running, session, refusal.diagnostics)
            return refusal.isTemporary && answer != .taken ? .failed : answer
        case .success(let follower):
            let control = try? await control(of: manifest.name, running.log, after: running)
            let next = RunningApp(
                manifest, follower.app, follower.run, port, bell: bell, printer: printer,
                log: running.log, control: control,
                watches: running.watches.map { RunningApp.Watches(session: session, manifest: $0.manifest) },
                journal: running.journal)
            await next.takeOver(
                from: running,
                telling: RunPrinter.changedManifest(path, .swapped, settings: follower.settings))
            show(next)
            return .taken
        }
    }

    /// What an app that runs cannot change of its journal.
    private static func changesOfJournal(from old: Manifest, to new: Manifest) -> [Diagnostic] {
        guard old.journal == new.journal else {
            return [
                Diagnostic(
                    .error, .notCarried, "the settings of the journal cannot change while the app runs",
                    help: ["end `spinhost dev`, and start it again"])
            ]
        }
        guard old.journal != nil, old.name != new.name else { return [] }
        return [
            Diagnostic(
                .error, .journalOfOtherApp,
                "the journal is of app `\(old.name)`, and the changed manifest is of `\(new.name)`",
                help: ["keep the name, or end `spinhost dev` and begin a new journal with `--restart`"])
        ]
    }

    private func refuse(
        _ change: ManifestWatch.Change, _ running: RunningApp, _ session: DevSession,
        _ reasons: [Diagnostic]
    ) -> ManifestWatch.Answer {
        // The next app is loaded from the changed manifest.
        guard !running.run.isEnding else { return .taken }
        running.watches?.session.files.take([path], from: session.files)
        let shown = view.renderer.render(reasons, in: path)
        guard shown.isEmpty || refusal.exchange(shown) != shown else { return .awaitsLibrary }
        running.printer.changedManifest(path, .refused, because: reasons)
        running.control?.refused(RunPrinter.changedManifest(path, .refused, because: reasons))
        // The manifest that waits is as it was, so another library may do again.
        return change.isRetry || reasons.contains(where: \.isAboutLibrary) ? .awaitsLibrary : .refused
    }
}

extension Diagnostic {
    /// Whether another library may do: codes with `P` are about plugins, but for that of the states.
    fileprivate var isAboutLibrary: Bool {
        severity == .error && code.rawValue.hasPrefix("P") && code != .notCarried
    }
}
