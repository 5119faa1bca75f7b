import ArgumentParser
import Control

/// Which running app is meant.
struct ControlOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app; may be left out when only one listens.", valueName: "name"))
    var app: String?

    /// A connection to the app.
    ///
    /// - Throws: an exit code, after the reason was printed.
    func connect(_ report: ControlReport) throws -> ControlClient {
        do { return try ControlClient.connected(to: app) } catch { throw report.refuse(error) }
    }
}
