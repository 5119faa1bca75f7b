import App
import Dispatch
import HostLoop
import Manifest

/// Builds each plugin whose sources have changed.
///
/// It looks at them twenty times a second, as `LibraryWatch` does at libraries, and more often once something has changed, until it is
/// settled (`SettledSources`). What is saved while a build runs is built after it, once.
final class SourceWatch: Sendable {
    private struct Watched {
        let build: PluginBuild
        var sources: SettledSources
        var isBuilding = false
    }

    private let watched: Lock<[Watched]>
    private let builder: PluginBuilder
    private let begins: @Sendable (PluginBuild) -> Void
    private let ended: @Sendable (PluginBuild, SourceTree, PluginBuilder.Outcome) -> Void
    private let ticker = Ticker("spinhost.dev.sources", every: .milliseconds(50))

    /// - Parameters:
    ///   - trees: the sources as they were when the libraries were built.
    ///   - begins: called before a build is asked for.
    ///   - ended: called after it with the sources that were to be built, on a thread of its own.
    init(
        _ trees: [(build: PluginBuild, tree: SourceTree)], builder: PluginBuilder,
        begins: @escaping @Sendable (PluginBuild) -> Void,
        ended: @escaping @Sendable (PluginBuild, SourceTree, PluginBuilder.Outcome) -> Void
    ) {
        watched = Lock(trees.map { Watched(build: $0.build, sources: SettledSources($0.tree)) })
        (self.builder, self.begins, self.ended) = (builder, begins, ended)
    }

    /// Looks until `stop`.
    func start() {
        ticker.start { [weak self] in self?.look() }
    }

    /// Looks no more, and begins no build any more; returns after a look that is under way.
    func stop() async {
        ticker.stop()
        await withCheckedContinuation { continuation in ticker.queue.async { continuation.resume() } }
    }

    private func look() {
        var isSettled = true
        // Nobody else changes how many there are.
        for index in watched.withLock({ $0.indices }) {
            let tree = SourceTree(watched.withLock { $0[index].build.sources })
            let build = watched.withLock { watched -> PluginBuild? in
                watched[index].sources.look(tree, at: .now)
                guard !watched[index].isBuilding else { return nil }
                if !watched[index].sources.isSettled { isSettled = false }
                guard watched[index].sources.take() else { return nil }
                watched[index].isBuilding = true
                return watched[index].build
            }
            guard let build else { continue }
            begins(build)
            builder.build(build, because: .changed) { [weak self] outcome in
                self?.ended(build, tree, outcome)
                self?.watched.withLock { $0[index].isBuilding = false }
            }
        }
        if !isSettled { ticker.hasten(SettledSources.pace) }
    }
}
