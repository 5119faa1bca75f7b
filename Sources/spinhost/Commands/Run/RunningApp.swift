import App
import Manifest

/// A running app with its printer and its control socket. Under `dev`, it also builds and swaps the plugins.
struct RunningApp: Sendable {
    /// What `dev` watches.
    struct Watches: Sendable {
        let session: DevSession
        let manifest: ManifestWatch
    }

    let manifest: Manifest
    let app: App
    let run: AppRun
    let printer: RunPrinter
    let log: LogOutlet
    /// Nil when nobody can reach the app.
    let control: RunControl?
    /// Nil outside of `dev`.
    let watches: Watches?
    /// Where the run is recorded; nil without a journal.
    let journal: AppJournal?
    /// Where the control socket reaches the run, and what tells it of new states.
    private let port: AppPort
    private let bell: ControlBell
    private let watchdog: Watchdog
    private let host: AppHost

    init(
        _ manifest: Manifest, _ app: App, _ run: AppRun, _ port: AppPort, bell: ControlBell,
        printer: RunPrinter, log: LogOutlet, control: RunControl?, watches: Watches?,
        journal: AppJournal?, host: AppHost
    ) {
        (self.journal, self.host) = (journal, host)
        (self.manifest, self.app, self.run, self.printer) = (manifest, app, run, printer)
        (self.port, self.bell) = (port, bell)
        (self.log, self.control, self.watches) = (log, control, watches)
        let loops = manifest.loops.count
        watchdog = app.makeWatchdog(
            of: run, observer: printer, log: { log.log($0) },
            looked: { [weak run, service = host.service] isHeld in
                if let run { service?.looked(run, loops: loops, isHeld: isHeld) }
            })
    }

    /// Starts the run, and serves and watches it.
    ///
    /// - Parameter isQuiet: whether the socket's path is not printed.
    func start(isQuiet: Bool) {
        watchdog.start()
        begin()
        control?.start(target, bell: bell, isQuiet: isQuiet)
        watch()
    }

    /// Starts the run after that of an app which has ended, and serves it to the same clients.
    func start(after before: RunningApp, which outcome: AppOutcome) {
        // The clients watch the loops only later, and miss none of their steps.
        for loop in manifest.loops.indices { port.follow(loop: loop) }
        watchdog.start()
        begin()
        takeClients(of: before, telling: RunControl.restarted(after: outcome), isRestart: true)
        watch()
    }

    private func begin() {
        run.whenBegun { [weak run, service = host.service, loops = manifest.loops.count] in
            if let run { service?.ready(run, loops: loops) }
        }
        run.start()
    }

    /// Serves and watches the run, which continues where another one was. The port follows all loops since before that.
    ///
    /// - Parameter line: JSON that is sent to the clients that watch.
    func takeOver(from before: RunningApp, telling line: String) async {
        watchdog.start()
        takeClients(of: before, telling: line, isRestart: false)
        await before.endWatches(isLast: false)
        watch()
    }

    private func takeClients(of before: RunningApp, telling line: String, isRestart: Bool) {
        let unfollow = { @Sendable [port, manifest] in
            for loop in manifest.loops.indices { port.unfollow(loop: loop) }
        }
        if let control, control.app == before.control?.app {
            control.replaceApp(with: target, bell: bell, telling: line, isRestart: isRestart, done: unfollow)
        } else {
            control?.start(target, bell: bell, isQuiet: true)
            unfollow()
        }
    }

    /// Ends what watches the app; clients are still served.
    ///
    /// - Parameter isLast: whether no app follows.
    func endWatches(isLast: Bool) async {
        await watches?.session.stop(isLast: isLast)
        watchdog.stop()
        printer.flush()
    }

    private var target: ControlledApp {
        ControlledApp(
            manifest, port, swap: { [swap] in await swap($0, nil) },
            reload: { [host] answer in Task { await host.reload(answer) } },
            metrics: { [app] in app.metrics }, plugins: { [app] in app.pluginStates }, log: log.tap)
    }

    /// Swaps a plugin, unless its file has the version with the hash `refused`; nil when another app has the
    /// place of this one.
    private var swap: @Sendable (_ plugin: String, _ refused: String?) async -> SwapReport? {
        { [app, run, printer, control] plugin, refused in
            let report = await app.swap(plugin, in: run, unless: refused) { report in
                guard !report.isTooLate(for: run) else { return }
                printer.swapped(report)
                control?.swapped(report)
            }
            return report.outcome == .failed && run.isFollowed ? nil : report
        }
    }

    private func watch() {
        guard let watches else { return }
        watches.session.start(app, run, printer: printer) { [swap] plugin, refused in
            // A changed manifest may wait for this library.
            await watches.manifest.retry() ? nil : await swap(plugin, refused)
        }
    }
}
