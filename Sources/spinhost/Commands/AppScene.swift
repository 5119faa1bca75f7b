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
    private let watchdog: Watchdog

    init(
        _ manifest: Manifest, _ app: App, _ run: AppRun, printer: RunPrinter, log: LogOutlet,
        session: DevSession?, control: RunControl?
    ) {
        (self.manifest, self.app, self.run, self.printer) = (manifest, app, run, printer)
        (self.log, self.session, self.control) = (log, session, control)
        watchdog = app.makeWatchdog(of: run, observer: printer, log: { log.log($0) })
    }

    /// Starts the run.
    func start(isQuiet: Bool) {
        watchdog.start()
        run.start()
        serve(isQuiet: isQuiet)
    }

    /// Goes on where another one was.
    func goOn() {
        watchdog.start()
        serve(isQuiet: true)
    }

    private func serve(isQuiet: Bool) {
        let swap = { @Sendable [app, run, printer, control] (plugin: String) in
            await app.swap(plugin, in: run) {
                printer.swapped($0)
                control?.swapped($0)
            }
        }
        control?.start(isQuiet: isQuiet, swap: swap)
        session?.start(app, printer: printer) { _ = await swap($0) }
    }

    /// The run has ended, or another one goes on where it was.
    func end(_ outcome: AppOutcome) async {
        await session?.stop()
        await control?.end(outcome)
        watchdog.stop()
        printer.flush()
    }
}
