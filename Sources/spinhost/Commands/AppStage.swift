import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
import Records

/// Where an app runs, and under `dev` those that follow it: when its manifest changes, the app of the changed one begins anew, in the
/// states in which the loops were.
final class AppStage: Sendable {
    /// What follows an app.
    private struct Successor: Sendable {
        let app: LoadedApp
        let carry: StateCarry
        let content: Data
    }

    private let path: String
    private let options: RunOptions
    private let view: RunView
    private let stopper: RunStopper
    private let isDev: Bool
    /// What follows the app that runs, and whether nothing will.
    private let next = Lock<(successor: Successor?, isOver: Bool)>((nil, false))

    /// - Parameter path: the manifest's file.
    init(path: String, options: RunOptions, view: RunView, stopper: RunStopper, isDev: Bool) {
        (self.path, self.options, self.view) = (path, options, view)
        (self.stopper, self.isDev) = (stopper, isDev)
    }

    /// Runs the app of a manifest, and those that follow it, to the end of the last one.
    ///
    /// - Parameter content: what the manifest's file had in it.
    /// - Throws: an exit code, after the reason was printed, when the app cannot be loaded or reached.
    func run(_ manifest: Manifest, session: DevSession?, content: Data) async throws -> AppEnd {
        var current: LoadedApp
        do { current = try load(manifest, session) } catch {
            ErrorOutput.write(view.renderer.render(error.diagnostics, in: path))
            throw ExitStatus.unavailable
        }
        var (content, states) = (content, [Record]?.none)
        // What runs again if its successor cannot begin.
        var before: (app: LoadedApp, states: [Record])?
        while true {
            let (end, last) = try await perform(current, in: states, content)
            let following = next.withLock { next in
                defer { next.successor = nil }
                return next.successor
            }
            if let next = following, let last, !stopper.isStopped {
                before?.app.app.close()
                do throws(StateCarry.Refusal) {
                    states = try next.carry.states(last)
                    (before, current, content) = ((current, last), next.app, next.content)
                } catch {
                    // It was possible a moment ago.
                    current.printer.changedManifest(path, .refused, error.diagnostics)
                    next.app.app.close()
                    (before, current, states, content) = (nil, current.again(), last, next.content)
                }
            } else if end.outcome == .unavailable, let known = before {
                current.printer.changedManifest(path, .refused, end.failure.map { [$0] } ?? [])
                current.app.close()
                (current, states, before) = (known.app.again(), known.states, nil)
            } else {
                following?.app.app.close()
                next.withLock { $0.isOver = true }
                before?.app.app.close()
                current.app.close()
                return end
            }
        }
    }

    /// - Parameter before: the app that it is to follow.
    private func load(
        _ manifest: Manifest, _ session: DevSession?, after before: App? = nil
    ) throws(App.Unavailable) -> LoadedApp {
        try LoadedApp(
            manifest, session: session, options: options, view: view,
            rejected: before?.rejectedLibraries ?? [:],
            outputFailed: { [stopper] in stopper.stop(after: $0) })
    }

    /// Runs one app.
    ///
    /// - Returns: how it ended, and the states in which its loops ended; nil when they have not begun.
    private func perform(
        _ current: LoadedApp, in states: [Record]?, _ content: Data
    ) async throws -> (end: AppEnd, states: [Record]?) {
        let (app, printer, logger, session) = (current.app, current.printer, current.logger, current.session)
        let control = options.control || isDev ? try RunControl(current.manifest, logger: logger) : nil
        // Also when something else cannot be begun.
        defer { control?.leave() }
        if let session { stopper.onStop(session.interrupt) }
        stopper.onLeaving { [leave = session?.leave] in
            control?.leave()
            leave?()
        }
        let run = app.makeRun(observer: printer, port: control?.port, states: states)
        let watchdog = app.makeWatchdog(of: run, observer: printer, log: { logger.log($0) })
        stopper.watch(run)
        watchdog.start()
        run.start()
        let swap = { @Sendable (plugin: String) in
            await app.swap(plugin, in: run) {
                printer.swapped($0)
                control?.swapped($0)
            }
        }
        control?.start(isQuiet: options.quiet || states != nil, swap: swap)
        session?.start(app, printer: printer) { _ = await swap($0) }
        let watch = ManifestWatch(path, content: content) { [self] content in
            // A manifest that is saved while plugins are being started waits for that.
            guard let states = run.states else { return false }
            await changed(content, current, run, in: states)
            return true
        }
        if isDev { watch.start() }
        let end = await run.end()
        watch.stop()
        await session?.stop()
        await control?.end(end.outcome)
        watchdog.stop()
        printer.flush()
        return (end, run.states)
    }

    /// The manifest's file has another content: once it is without faults, and the loops can keep their states, its app follows.
    private func changed(
        _ content: Data, _ current: LoadedApp, _ run: AppRun, in before: [Record]
    ) async {
        guard !stopper.isStopped else { return }
        let session = DevSession(manifest: path)
        do { try await session.prepare(renderer: view.renderer, manifest: path) } catch {
            return current.printer.changedManifest(path, .refused, [])
        }
        let loaded = App.loadManifest(path: path, overrides: options.set)
        Redaction.conceal(loaded.secrets)
        guard let manifest = loaded.manifest else {
            return current.printer.changedManifest(path, .refused, loaded.diagnostics)
        }
        ErrorOutput.write(view.renderer.render(loaded.diagnostics, in: path))
        let carry = StateCarry(from: current.manifest, to: manifest)
        do throws(StateCarry.Refusal) { _ = try carry.states(before) } catch {
            return current.printer.changedManifest(path, .refused, error.diagnostics)
        }
        do throws(App.Unavailable) {
            let app = try load(manifest, session, after: current.app)
            let follows = next.withLock { next in
                guard next.successor == nil, !next.isOver else { return false }
                next.successor = Successor(app: app, carry: carry, content: content)
                return true
            }
            guard follows else { return app.app.close() }
            current.printer.changedManifest(path, .swapped, [])
            run.stop()
        } catch {
            current.printer.changedManifest(path, .refused, error.diagnostics)
        }
    }
}
