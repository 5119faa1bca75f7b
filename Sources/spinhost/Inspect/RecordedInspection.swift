import ArgumentParser
import Control
import Dispatch
import Glibc
import HostLoop
import Journal
import App

/// Serves the page of a journal, without an app: `spinhost inspect FILE`.
struct RecordedInspection {
    /// How often to look whether the journal has grown.
    private static let pause = Duration.milliseconds(200)

    let file: String
    let secrets: JournalSecretOptions

    /// Serves until the command is interrupted.
    ///
    /// - Parameters:
    ///   - program: the path of `spinhost-inspector`.
    ///   - place: where it listens.
    /// - Throws: an exit code, after the reason was printed.
    func run(_ program: String, _ place: InspectorAddress) async throws {
        let app: RecordedApp
        do {
            let store = try SQLiteStore(path: file, .read)
            try secrets.conceal(in: store, file)
            app = try RecordedApp(file, store)
        } catch let error as JournalError { throw JournalFault.report(error, of: file) }
        let (claim, server): (ControlClaim, ControlServer)
        do {
            claim = try ControlClaim("\(getpid())", in: .journals)
            server = try ControlServer(claim)
        } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
        server.start(app: file, target: app, write: { Redaction.redacted($0) }, notice: { _ in })
        let ticker = Ticker("spinhost.inspect", every: Self.pause)
        app.bell.onRinging { server.statesCame() }
        ticker.start { app.look() }
        let (over, output) = (DispatchSemaphore(value: 0), try CommandOutput())
        let failure = Lock<ExitCode?>(nil)
        let service = InspectorService(
            program, place,
            gaveUp: { code in
                failure.exchange(code)
                over.signal()
            },
            print: { line in
                guard line.hasPrefix("inspector: ") else { return ErrorOutput.line(line) }
                do { try output.line(line) } catch { over.signal() }
            })
        service.inspect(claim.path)
        try await Interruption.ends("spinhost.inspect.page", interrupt: { over.signal() }) { _ in over.wait()
        }
        if let code = failure.withLock({ $0 }) { throw code }
        ticker.stop()
        service.stop()
        await server.end("stopped")
    }
}
