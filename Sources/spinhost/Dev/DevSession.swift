import App
import ArgumentParser
import Diagnostics
import FoundationEssentials
import Glibc
import HostLoop
import Interfaces
import Manifest
import PluginHost

/// What `dev` does beside running the app of a manifest: it builds plugins whose sources change, and swaps those whose libraries do.
final class DevSession: Sendable {
    /// A manifest whose plugins were built.
    struct Outcome {
        let loaded: Manifest.Loaded
        /// What could not be built.
        let failed: [PluginBuild]

        /// Whether a diagnostic is about a library that could not be built.
        func isAboutFailedBuild(_ diagnostic: Diagnostic) -> Bool {
            // Of the same text, read twice.
            failed.contains { $0.librarySpan.start == diagnostic.place?.span.start }
        }
    }

    /// The manifest, the sources and the libraries.
    let files: AppFiles
    private let path: String
    private let journal: JournalOverride
    private let builder: PluginBuilder
    private let trees: [(build: PluginBuild, tree: SourceTree)]
    /// What the manifest declares; nil when it is at fault.
    private let declared: Manifest?
    private let libraries: [String]
    private let watches = Lock<(libraries: LibraryWatch, sources: SourceWatch)?>(nil)

    /// Reads what the manifest at `path` says about builds; nothing is done yet. A manifest that is at fault has none.
    ///
    /// - Parameters:
    ///   - builder: that of the sessions before, too.
    ///   - journal: what the command line says of the journal.
    init(manifest path: String, builder: PluginBuilder, journal: JournalOverride) {
        (self.path, self.builder, self.journal) = (path, builder, journal)
        files = AppFiles([path])
        let loaded = App.loadDeclarations(path: path)
        (declared, libraries) = (loaded.manifest, loaded.libraries)
        trees = (declared?.builds ?? []).map { ($0, SourceTree($0.sources)) }
        for (build, tree) in trees { files.take(build.sources, tree) }
    }

    /// Builds the libraries that are not there, or older than a source, and reads the manifest; then those that were compiled with other
    /// records than it has, and reads it once more.
    ///
    /// - Parameters:
    ///   - isRetry: whether that was done for this manifest: what has other records still is left as it is.
    ///   - notBuilt: called with the plugin that could not be built, and the reason.
    /// - Throws: an exit code, after the reason was printed, when nothing says how to build one, or a source is not there.
    func load(
        overrides: [String], isRetry: Bool = false, renderer: DiagnosticRenderer,
        notBuilt: (_ plugin: String, _ reason: String) -> Void
    ) async throws -> Outcome {
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
        var (built, failed) = await build(trees.map(\.build), because: .outdated, notBuilt)
        let loaded = read(overrides)
        // Of the same text, read twice.
        let places = loaded.diagnostics.filter { $0.code == .layoutMismatch }.map(\.place?.span.start)
        let others = isRetry ? [] : built.filter { places.contains($0.librarySpan.start) }
        guard !others.isEmpty else { return Outcome(loaded: loaded, failed: failed) }
        let again = await build(others, because: .otherRecords, notBuilt)
        (built, failed) = (again.built, failed + again.failed)
        return Outcome(loaded: built.isEmpty ? loaded : read(overrides), failed: failed)
    }

    /// Reads the manifest and what it needs of libraries.
    private func read(_ overrides: [String]) -> Manifest.Loaded {
        for library in libraries {
            for file in PluginImage.files(ofLibrary: library) { files.take([file]) }
        }
        return App.loadManifest(path: path, overrides: overrides, journal: journal, isDevelopment: true)
    }

    /// Builds them, one after the other: those whose libraries are there as wanted, and those that failed.
    private func build(
        _ builds: [PluginBuild], because reason: PluginBuilder.Reason, _ notBuilt: (String, String) -> Void
    ) async -> (built: [PluginBuild], failed: [PluginBuild]) {
        var (built, failed): ([PluginBuild], [PluginBuild]) = ([], [])
        for build in builds {
            let outcome = await withCheckedContinuation { continuation in
                builder.build(build, because: reason) { continuation.resume(returning: $0) }
            }
            switch outcome {
            case .built: built.append(build)
            case .failed(let reason):
                failed.append(build)
                notBuilt(build.plugin, reason)
            case .stopped: break
            }
        }
        return (built, failed)
    }

    /// Watches from now on; libraries once the run has begun, as before that no instance can be exchanged.
    func start(
        _ app: App, _ run: AppRun, printer: RunPrinter,
        swap: @escaping @Sendable (_ plugin: String, _ refused: String?) async -> SwapReport?
    ) {
        let libraries = LibraryWatch(app, mayBegin: { run.hasBegun }) {
            [files] name, libraries, refused in
            let trees = libraries.map { SourceTree([$0]) }
            let report = await swap(name, refused)
            // An app that ends meanwhile does not have the new library: it is started again for that.
            guard let report, !report.isTooLate(for: run) else { return report }
            for (library, tree) in zip(libraries, trees) { files.take([library], tree) }
            return report
        }
        let sources = SourceWatch(
            trees, builder: builder, begins: { libraries.hold($0.plugin) },
            ended: { [files] build, tree, outcome in
                files.take(build.sources, tree)
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
    /// - Parameter isLast: whether no session follows: what builds is ended then, and a swap that has begun is waited for, but not
    ///   for ever.
    func stop(isLast: Bool) async {
        // A build that runs ends without them: its library is not for this app.
        let watches = watches.exchange(nil)
        await watches?.sources.stop()
        if isLast { await builder.stop() }
        await watches?.libraries.stop(isFollowed: !isLast)
    }

    /// Prints what is watched, and waits until a file is saved, or the user presses Enter at the terminal.
    ///
    /// - Parameters:
    ///   - goal: what happens then, in words.
    ///   - isOver: whether to stop waiting.
    func wait(to goal: String, or isOver: () -> Bool) async {
        // The terminal belongs to an app that reads it, and an app may do so whose manifest is at fault.
        let hasKey = Terminal.isTerminal(STDIN_FILENO) && declared?.readsInput == false
        if hasKey { EnterKey.forget() }
        ErrorOutput.line("\(invitation)\(hasKey ? " or press Enter" : "") to \(goal), Ctrl-C to quit")
        await files.waitForSave { isOver() || hasKey && EnterKey.wasPressed }
    }

    /// ``watching `half.c`, `app.toml`; save one of them``
    private var invitation: String {
        let folder = FileManager.default.currentDirectoryPath + "/"
        let sources = trees.flatMap(\.build.sources)
        let built = Set(trees.map(\.build.library))
        // Of a manifest at fault it is not known which libraries are built.
        let others = libraries.filter { declared != nil && !built.contains($0) && FileMark($0) != nil }
        var names: [String] = []
        for file in sources + others + [path] {
            let name = "`\(file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file)`"
            if !names.contains(name) { names.append(name) }
        }
        let most = 5
        let rest = names.count > most ? " and \(CountText.grouped(names.count - most)) more" : ""
        return "watching \(names.prefix(most).joined(separator: ", "))\(rest); save "
            + (names.count == 1 ? "it" : "one of them")
    }

    /// ``build of `half` failed: exit code 2``
    static func line(_ plugin: String, _ reason: String) -> String {
        "build of `\(plugin)` failed: \(reason)"
    }
}

extension SwapReport {
    /// Whether the swap did not come about because the run ends.
    func isTooLate(for run: AppRun) -> Bool { outcome == .failed && run.isEnding }
}
