import App
import Control
import HostLoop
import Logging
import Manifest
import Records

/// The control socket of a run: `spinhost run --control`.
struct RunControl {
    /// The app's name.
    let app: String
    /// The socket's path.
    var path: String { claim.path }
    private let claim: ControlClaim
    private let server: ControlServer
    private let log: LogOutlet

    /// Claims the app's name; serves nobody yet.
    ///
    /// - Throws: an exit code, after the reason was printed, when the socket cannot be made.
    init(_ app: String, log: LogOutlet) throws {
        do {
            claim = try ControlClaim(app)
            server = try ControlServer(claim)
            (self.app, self.log) = (app, log)
        } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
    }

    /// Serves clients from now on, and says where.
    ///
    /// - Parameter bell: rung when the target has states.
    func start(_ target: ControlledApp, bell: ControlBell, isQuiet: Bool) {
        bell.onRinging { [server] in server.statesCame() }
        log.tap.onLines { [server] in server.statesCame() }
        server.start(
            app: app, target: target,
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

    /// Serves the same clients for another app. It is the app of a changed manifest, or one that was started
    /// again.
    ///
    /// - Parameters:
    ///   - line: JSON that is sent to the clients that watch.
    ///   - isRestart: whether the app was started again.
    ///   - done: called once the clients watch the other app.
    func replaceApp(
        with target: ControlledApp, bell: ControlBell, telling line: String, isRestart: Bool,
        done: @escaping @Sendable () -> Void
    ) {
        bell.onRinging { [server] in server.statesCame() }
        server.replaceTarget(with: target, announcing: line, isRestart: isRestart, done: done)
    }

    /// Reports to the clients that watch that a changed manifest was refused: `line` is JSON.
    func refused(_ line: String) { server.swapped(line) }

    /// Reports the result of a swap to the clients that watch.
    func swapped(_ report: SwapReport) {
        if report.outcome != .unchanged { server.swapped(report.json.json) }
    }

    /// Gives the name of the app back. Further calls do nothing.
    func leave() { claim.remove() }

    /// Gives the name of the app back, and reports to the clients that watch how the app ended.
    func end(_ outcome: AppOutcome) async { await server.end(Self.word(outcome)) }

    /// A line of JSON for clients that watch: the app was started again, after one that had ended so.
    static func restarted(after outcome: AppOutcome) -> String {
        Value.record([("restarted", .string(word(outcome)))]).json
    }

    private static func word(_ outcome: AppOutcome) -> String {
        switch outcome {
        case .done: "done"
        case .nothingLeft: "nothing-left"
        case .fault: "fault"
        case .stopped: "stopped"
        case .unavailable: "unavailable"
        case .followed: "followed"
        }
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
