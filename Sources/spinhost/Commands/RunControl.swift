import App
import Control
import HostLoop
import Logging
import Manifest
import Records

/// The control socket of a run: `spinhost run --control`.
struct RunControl {
    private let claim: ControlClaim
    private let port: AppPort
    private let manifest: Manifest
    private let server: ControlServer
    private let log: LogOutlet

    /// Claims the app's name; serves nobody yet.
    ///
    /// - Parameters:
    ///   - port: of the run.
    ///   - bell: rung when the port has states.
    /// - Throws: an exit code, after the reason was printed, when the socket cannot be made.
    init(_ manifest: Manifest, log: LogOutlet, port: AppPort, bell: ControlBell) throws {
        do {
            claim = try ControlClaim(manifest.name)
            let server = try ControlServer(claim)
            bell.onRinging { server.statesCame() }
            (self.manifest, self.port, self.server, self.log) = (manifest, port, server, log)
        } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
    }

    /// Serves clients from now on, and says where.
    ///
    /// - Parameter swap: swaps a plugin of the app.
    func start(isQuiet: Bool, swap: @escaping @Sendable (String) async -> SwapReport) {
        server.start(
            app: manifest.name, target: ControlledApp(manifest, port, swap: swap),
            write: { Redaction.redacted($0) },
            notice: { [log] notice in
                switch notice {
                case .cutOff(let count):
                    log.logger.warning(
                        "a client of the control socket read too slowly and was cut off (\(count) so far)")
                case .failed(let reason):
                    log.logger.error("the control socket is not served any more: \(reason)")
                }
            })
        if !isQuiet { ErrorOutput.line("listening at `\(claim.path)`") }
    }

    /// Tells those who watch what became of a swap.
    func swapped(_ report: SwapReport) {
        if report.outcome != .unchanged { server.swapped(report.json.json) }
    }

    /// Lets go of the name; harmless when repeated.
    func leave() { claim.remove() }

    /// Lets go of the name, and tells those who watch how the app ended.
    func end(_ outcome: AppOutcome) async {
        let word =
            switch outcome {
            case .done: "done"
            case .nothingLeft: "nothing-left"
            case .fault: "fault"
            case .stopped: "stopped"
            case .unavailable: "unavailable"
            case .followed: "followed"
            }
        await server.end(word)
    }
}

extension ErrorOutput {
    /// Writes why an app cannot be reached, or cannot be made to be.
    static func show(_ error: ControlUnavailable) { show(error.message, help: error.help) }

    /// Writes a fault that has neither code nor place.
    static func show(_ message: String, help: [String]) {
        write((["error: \(message)"] + help.map { "  = help: \($0)" }).map { "\($0)\n" }.joined())
    }
}
