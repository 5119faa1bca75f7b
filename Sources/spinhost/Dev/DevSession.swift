import App
import ArgumentParser
import Diagnostics
import HostLoop
import Manifest

/// What `dev` does beside running an app: it builds plugins whose sources change, and swaps those whose libraries do.
final class DevSession: Sendable {
    private let builder: PluginBuilder
    private let trees: [(build: PluginBuild, tree: SourceTree)]
    private let watches = Lock<(libraries: LibraryWatch, sources: SourceWatch)?>(nil)

    /// Reads what the manifest at `path` says about builds; nothing is done yet. A manifest that is at fault has none.
    ///
    /// - Parameter builder: that of the sessions before, too.
    init(manifest path: String, builder: PluginBuilder) {
        self.builder = builder
        trees = (App.loadDeclarations(path: path).manifest?.builds ?? []).map { ($0, SourceTree($0.sources)) }
    }

    /// Builds the libraries that are not there, or older than a source. One that cannot be built is said to be so, and the app may
    /// begin with the one that is there.
    ///
    /// - Throws: an exit code, after the reason was printed, when nothing says how to build one, or a source is not there.
    func prepare(renderer: DiagnosticRenderer, manifest path: String) async throws {
        for (build, tree) in trees {
            do throws(Diagnostic) {
                _ = try BuildLine.line(for: build)
                guard !tree.isIncomplete else {
                    throw Diagnostic(
                        .error, .notBuilt, "a source of `\(build.plugin)` is not there, or empty",
                        at: build.span)
                }
            } catch {
                ErrorOutput.write(renderer.render([error], in: path))
                throw ExitStatus.unavailable
            }
        }
        for (build, _) in trees {
            let outcome = await withCheckedContinuation { continuation in
                builder.build(build, because: .outdated) { continuation.resume(returning: $0) }
            }
            if case .failed(let reason) = outcome { ErrorOutput.line(Self.line(build.plugin, reason)) }
        }
    }

    /// Watches from now on; libraries once the run has begun, as before that no instance can be exchanged.
    func start(
        _ app: App, _ run: AppRun, printer: RunPrinter,
        swap: @escaping @Sendable (String) async -> SwapReport?
    ) {
        let libraries = LibraryWatch(app, mayBegin: { run.hasBegun }, swap: swap)
        let sources = SourceWatch(
            trees, builder: builder, begins: { libraries.hold($0.plugin) },
            ended: { build, outcome in
                if case .failed(let reason) = outcome { printer.notBuilt(build.plugin, reason) }
                libraries.release(build.plugin)
            })
        watches.withLock { $0 = (libraries, sources) }
        libraries.start()
        sources.start()
    }

    /// Ends what watches, and waits for the swap that has begun, but not for ever.
    ///
    /// - Parameter isFollowed: whether another session builds on; otherwise what builds is ended first.
    func stop(isFollowed: Bool = false) async {
        let watches = watches.withLock { $0 }
        await watches?.sources.stop()
        if !isFollowed { await builder.stop() }
        await watches?.libraries.stop()
    }

    /// ``build of `half` failed: exit code 2``
    static func line(_ plugin: String, _ reason: String) -> String {
        "build of `\(plugin)` failed: \(reason)"
    }
}
