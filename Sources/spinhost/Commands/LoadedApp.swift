import App
import Logging
import Manifest
import PluginHost

/// An app with its libraries loaded, and what shows it while it runs.
struct LoadedApp: Sendable {
    let manifest: Manifest
    let app: App
    let printer: RunPrinter
    let logger: Logger
    /// What builds and swaps its plugins; nil outside of `dev`.
    private(set) var session: DevSession?

    /// - Parameters:
    ///   - view: how its steps are shown.
    ///   - rejected: libraries that were rolled back before (`App.rejectedLibraries`).
    ///   - outputFailed: called when stdout cannot be written, perhaps several times.
    init(
        _ manifest: Manifest, session: DevSession?, options: RunOptions, view: RunView,
        rejected: [String: String], outputFailed: @escaping @Sendable (PluginError) -> Void
    ) throws(App.Unavailable) {
        let logger = LogLines.logger(
            LogModel(
                level: options.logLevel ?? manifest.log.level,
                format: options.logFormat ?? manifest.log.format))
        let printer = RunPrinter(
            steps: view.steps(of: manifest), explains: options.explain, output: view.output.standard,
            renderer: view.renderer, outputFailed: outputFailed)
        app = try App(
            manifest, log: { logger.log($0) }, output: { printer.print($0) }, trial: TrialRequest.verdict,
            rejected: rejected)
        (self.manifest, self.printer, self.logger, self.session) = (manifest, printer, logger, session)
    }

    /// The same app, to be run once more.
    func again() -> LoadedApp {
        var again = self
        again.session = session.map(DevSession.init(after:))
        return again
    }
}
