import ArgumentParser
import Control

/// The running app to connect to.
struct ControlOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app; optional if only one app listens.", valueName: "name"))
    var app: String?

    /// Connects to the app.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    func connect(_ report: ControlReport) throws -> ControlClient {
        do { return try ControlClient.connected(to: app) } catch { throw report.refuse(error) }
    }
}
