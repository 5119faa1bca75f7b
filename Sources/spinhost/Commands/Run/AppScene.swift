import App
import Manifest

/// An app as it runs, with what shows, serves and watches it.
struct AppScene: Sendable {
    let manifest: Manifest
    let app: App
    let run: AppRun
    let printer: RunPrinter
    let log: LogOutlet
    /// What builds and swaps its plugins; nil outside of `dev`.
    let session: DevSession?
    /// Nil when nobody reaches it.
    let control: RunControl?
    /// Where it is reached, and what rings when that has states.
    private let port: AppPort
    private let bell: ControlBell
    private let watchdog: Watchdog
    private let retryManifest: @Sendable () async -> Bool

    /// - Parameter retryManifest: called before a plugin is swapped whose library has changed; answers whether another app has the place
    ///   of this one, as a changed manifest had waited for that.
    init(
        _ manifest: Manifest, _ app: App, _ run: AppRun, _ port: AppPort, bell: ControlBell,
        printer: RunPrinter, log: LogOutlet, session: DevSession?, control: RunControl?,
        retryManifest: @escaping @Sendable () async -> Bool
    ) {
        self.retryManifest = retryManifest
        (self.port, self.bell) = (port, bell)
        (self.manifest, self.app, self.run, self.printer) = (manifest, app, run, printer)
        (self.log, self.session, self.control) = (log, session, control)
        watchdog = app.makeWatchdog(of: run, observer: printer, log: { log.log($0) })
    }

    /// Starts the run.
    func start(isQuiet: Bool) {
        watchdog.start()
        run.start()
        control?.start(target, bell: bell, isQuiet: isQuiet)
        startSession()
    }

    /// Goes on where another one was, for its clients.
    ///
    /// - Parameter line: what those are told who watch.
    func goOn(from before: AppScene, telling line: String) async {
        watchdog.start()
        if let control, control.app == before.control?.app {
            // The port has kept all states since the loops began: none is missed.
            control.goOn(with: target, bell: bell, telling: line) { [port, manifest] in
                for loop in manifest.loops.indices { port.unfollow(loop: loop) }
            }
        } else {
            control?.start(target, bell: bell, isQuiet: true)
        }
        await before.leave()
        startSession()
    }

    private var target: ControlledApp { ControlledApp(manifest, port, swap: swap) }

    /// Swaps a plugin; nil when another app has the place of this one.
    private var swap: @Sendable (String) async -> SwapReport? {
        { [app, run, printer, control] plugin in
            let report = await app.swap(plugin, in: run) {
                printer.swapped($0)
                control?.swapped($0)
            }
            return report.outcome == .failed && run.isFollowed ? nil : report
        }
    }

    private func startSession() {
        session?.start(app, run, printer: printer) { [swap, retryManifest] plugin in
            await retryManifest() ? nil : await swap(plugin)
        }
    }

    /// The run has ended.
    func end(_ outcome: AppOutcome) async {
        await session?.stop()
        await control?.end(outcome)
        watchdog.stop()
        printer.flush()
    }

    /// Another run goes on where this one was, and with its clients.
    private func leave() async {
        await session?.stop(isFollowed: true)
        watchdog.stop()
        printer.flush()
    }
}
