import App
import Diagnostics
import HostLoop
import Manifest

// A manifest that changes while its app runs.
extension AppHost {
    /// What became of a changed manifest.
    struct Followed {
        let answer: ManifestWatch.Answer
        /// Why it was refused.
        var reasons: [Diagnostic] = []
    }

    /// The manifest's file has another content: once it is without faults, its app continues where the one is that runs.
    ///
    /// - Returns: `tooEarly` while plugins are being started or the file is being saved.
    func follow(_ change: ManifestWatch.Change) async -> ManifestWatch.Answer {
        await changes.take { [self] in
            guard let running = current.withLock({ $0 }), running.run.hasBegun else { return .tooEarly }
            // After the end of an app the changed manifest is loaded for the next one.
            guard !stopper.isStopped, !running.run.isEnding else { return .taken }
            return await follow(change, running) { _ in }.answer
        }
    }

    /// - Parameter succeeded: called when the app continues with the manifest: before its clients are gone if it has
    ///   another name, otherwise once they are those of the new app.
    func follow(
        _ change: ManifestWatch.Change, _ running: RunningApp,
        _ succeeded: @escaping @Sendable ([SettingsReport]) -> Void
    ) async -> Followed {
        // Libraries that are built for the changed manifest may not do for the app that runs.
        running.watches?.session.hold()
        if !change.isRetry { refusal.exchange("") }
        let session = builder.map {
            DevSession(manifest: path, builder: $0, journal: options.journalOverride)
        }
        let followed = await follow(change, running, session, succeeded)
        if followed.answer != .taken { running.watches?.session.release() }
        return followed
    }

    private func follow(
        _ change: ManifestWatch.Change, _ running: RunningApp, _ session: DevSession?,
        _ succeeded: @escaping @Sendable ([SettingsReport]) -> Void
    ) async -> Followed {
        guard !running.manifest.isLocked else { return refuse(change, running, session, [.locked]) }
        let loaded: Manifest.Loaded
        do { loaded = try await load(again: change, running, session) } catch {
            // A source that is being saved must not end the wait for a library.
            return change.isRetry ? Followed(answer: .awaitsLibrary) : refuse(change, running, session, [])
        }
        guard !stopper.isStopped else { return Followed(answer: .taken) }
        Redaction.conceal(loaded.secrets)
        guard let manifest = loaded.manifest else {
            return ManifestWatch.has(path, change)
                ? refuse(change, running, session, loaded.diagnostics)
                : Followed(answer: .tooEarly, reasons: loaded.diagnostics)
        }
        // A part of a manifest that is being saved may be a manifest, too: with fewer loops.
        guard ManifestWatch.has(path, change) else { return Followed(answer: .tooEarly) }
        ErrorOutput.write(view.renderer.render(loaded.diagnostics, in: path))
        let reasons = Self.changesOfJournal(from: running.manifest, to: manifest)
        guard reasons.isEmpty else { return refuse(change, running, session, reasons) }
        return await handOver(change, running, to: manifest, session, succeeded)
    }

    /// The manifest as it is now; under `dev` once its plugins are built.
    private func load(
        again change: ManifestWatch.Change, _ running: RunningApp, _ session: DevSession?
    ) async throws -> Manifest.Loaded {
        guard let session else {
            return App.loadManifest(
                path: path, overrides: options.set, journal: options.journalOverride)
        }
        return try await session.load(
            overrides: options.set, isRetry: change.isRetry, renderer: view.renderer,
            notBuilt: running.printer.notBuilt
        ).loaded
    }

    private func handOver(
        _ change: ManifestWatch.Change, _ running: RunningApp, to manifest: Manifest,
        _ session: DevSession?, _ succeeded: @escaping @Sendable ([SettingsReport]) -> Void
    ) async -> Followed {
        let (bell, printer) = (ControlBell(), printer(for: manifest, running.log))
        let port = port(of: manifest, bell)
        // Until the clients watch the loops, so that they miss no state.
        for loop in manifest.loops.indices { port.follow(loop: loop) }
        let result = await running.app.succeed(
            running.run, by: manifest, observer: printer, port: isReachable ? port : nil,
            willSucceed: { [path] settings in
                running.printer.flush()
                running.log.use(manifest.log)
                running.printer.changedManifest(path, .swapped, settings: settings)
            })
        switch result {
        case .failure(let refusal):
            let refused = refuse(change, running, session, refusal.diagnostics)
            guard refusal.isTemporary, refused.answer != .taken else { return refused }
            return Followed(answer: .failed, reasons: refused.reasons)
        case .success(let follower):
            // The end of the old name ends the connections of its clients.
            let isRenamed = manifest.name != running.manifest.name
            if isRenamed { succeeded(follower.settings) }
            let control = try? await control(of: manifest.name, running.log, after: running)
            let watches = running.watches.flatMap { watches in
                session.map { RunningApp.Watches(session: $0, manifest: watches.manifest) }
            }
            let next = RunningApp(
                manifest, follower.app, follower.run, port, bell: bell, printer: printer,
                log: running.log, control: control, watches: watches, journal: running.journal, host: self)
            await next.takeOver(
                from: running,
                telling: RunPrinter.changedManifest(path, .swapped, settings: follower.settings))
            show(next)
            if !isRenamed { succeeded(follower.settings) }
            return Followed(answer: .taken)
        }
    }

    /// What an app that runs cannot change of its journal.
    private static func changesOfJournal(from old: Manifest, to new: Manifest) -> [Diagnostic] {
        guard old.journal == new.journal else {
            return [
                Diagnostic(
                    .error, .notCarried, "the settings of the journal cannot change while the app runs",
                    help: ["end the app, and start it again"])
            ]
        }
        guard old.journal != nil, old.name != new.name else { return [] }
        return [
            Diagnostic(
                .error, .journalOfOtherApp,
                "the journal is of app `\(old.name)`, and the changed manifest is of `\(new.name)`",
                help: ["keep the name, or end the app and begin a new journal with `--restart`"])
        ]
    }

    private func refuse(
        _ change: ManifestWatch.Change, _ running: RunningApp, _ session: DevSession?,
        _ reasons: [Diagnostic]
    ) -> Followed {
        // The next app is loaded from the changed manifest.
        guard !running.run.isEnding else { return Followed(answer: .taken, reasons: reasons) }
        if let session { running.watches?.session.files.take([path], from: session.files) }
        let shown = view.renderer.render(reasons, in: path)
        guard shown.isEmpty || refusal.exchange(shown) != shown else {
            return Followed(answer: .awaitsLibrary, reasons: reasons)
        }
        running.printer.changedManifest(path, .refused, because: reasons)
        running.control?.refused(RunPrinter.changedManifest(path, .refused, because: reasons))
        // The manifest that waits is as it was, so another library may do again.
        return Followed(
            answer: change.isRetry || reasons.contains(where: \.isAboutLibrary) ? .awaitsLibrary : .refused,
            reasons: reasons)
    }
}

extension Diagnostic {
    /// Whether another library may do: codes with `P` are about plugins, but for that of the states.
    fileprivate var isAboutLibrary: Bool {
        severity == .error && code.rawValue.hasPrefix("P") && code != .notCarried
    }
}
