import App
import ArgumentParser
import Diagnostics
import HostLoop
import Interfaces
import Manifest

/// What `dev` does beside running an app: it builds plugins whose sources change, and swaps those whose libraries do.
final class DevSession: Sendable {
    private let path: String
    private let builder: PluginBuilder
    private let trees: [(build: PluginBuild, tree: SourceTree)]
    private let watches = Lock<(libraries: LibraryWatch, sources: SourceWatch)?>(nil)

    /// Reads what the manifest at `path` says about builds; nothing is done yet. A manifest that is at fault has none.
    ///
    /// - Parameter builder: that of the sessions before, too.
    init(manifest path: String, builder: PluginBuilder) {
        (self.path, self.builder) = (path, builder)
        trees = (App.loadDeclarations(path: path).manifest?.builds ?? []).map { ($0, SourceTree($0.sources)) }
    }

    /// Builds the libraries that are not there, or older than a source, and reads the manifest; then those that were compiled with other
    /// records than it has, and reads it once more. Where one cannot be built, the one that is there may do.
    ///
    /// - Parameters:
    ///   - isRetry: whether that was done for this manifest: what has other records still is left as it is.
    ///   - notBuilt: told which plugin could not be built, and why.
    /// - Throws: an exit code, after the reason was printed, when nothing says how to build one, or a source is not there.
    func load(
        overrides: [String], isRetry: Bool = false, renderer: DiagnosticRenderer,
        notBuilt: (_ plugin: String, _ reason: String) -> Void
    ) async throws -> Manifest.Loaded {
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
        let built = await build(trees.map(\.build), because: .outdated, notBuilt)
        let loaded = App.loadManifest(path: path, overrides: overrides)
        // Of the same text, read twice.
        let places = loaded.diagnostics.filter { $0.code == .layoutMismatch }.map(\.place?.span.start)
        let others = isRetry ? [] : built.filter { places.contains($0.librarySpan.start) }
        let isBuilt = await !build(others, because: .otherRecords, notBuilt).isEmpty
        return isBuilt ? App.loadManifest(path: path, overrides: overrides) : loaded
    }

    /// Builds them, one after the other.
    ///
    /// - Returns: those whose libraries are there as wanted.
    private func build(
        _ builds: [PluginBuild], because reason: PluginBuilder.Reason, _ notBuilt: (String, String) -> Void
    ) async -> [PluginBuild] {
        var built: [PluginBuild] = []
        for build in builds {
            let outcome = await withCheckedContinuation { continuation in
                builder.build(build, because: reason) { continuation.resume(returning: $0) }
            }
            switch outcome {
            case .built: built.append(build)
            case .failed(let reason): notBuilt(build.plugin, reason)
            case .stopped: break
            }
        }
        return built
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

    /// Leaves all libraries alone until `release`, as they may change with the manifest.
    func hold() { watches.withLock { $0 }?.libraries.hold() }

    /// Looks at all libraries at once, and from then on again.
    func release() { watches.withLock { $0 }?.libraries.release() }

    /// Ends what watches.
    ///
    /// - Parameter isFollowed: whether another session builds and swaps from now on; otherwise what builds is ended, and a swap that
    ///   has begun is waited for, but not for ever.
    func stop(isFollowed: Bool = false) async {
        let watches = watches.withLock { $0 }
        await watches?.sources.stop()
        if !isFollowed { await builder.stop() }
        await watches?.libraries.stop(isFollowed: isFollowed)
    }

    /// ``build of `half` failed: exit code 2``
    static func line(_ plugin: String, _ reason: String) -> String {
        "build of `\(plugin)` failed: \(reason)"
    }
}
