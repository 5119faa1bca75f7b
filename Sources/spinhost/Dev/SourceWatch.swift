import App
import Dispatch
import HostLoop
import Manifest

/// Builds each plugin whose sources have changed.
///
/// It looks at them twenty times a second, as `LibraryWatch` does at libraries, and builds when they stayed the same for three looks:
/// ten saves in a row are one build. What is saved while a build runs is built after it, once.
final class SourceWatch: Sendable {
    private struct Watched {
        let build: PluginBuild
        var seen: SourceTree
        /// How many looks have found the same.
        var looks = 0
        /// What was built last, or was there at the beginning.
        var built: SourceTree
        var isBuilding = false
    }

    private static let settled = 2

    private let watched: Lock<[Watched]>
    private let builder: PluginBuilder
    private let begins: @Sendable (PluginBuild) -> Void
    private let ended: @Sendable (PluginBuild, PluginBuilder.Outcome) -> Void
    private let ticker = Ticker("spinhost.dev.sources", every: .milliseconds(50))

    /// - Parameters:
    ///   - trees: the sources as they were when the libraries were built.
    ///   - begins: told before a build is asked for.
    ///   - ended: told after it, on a thread of its own.
    init(
        _ trees: [(build: PluginBuild, tree: SourceTree)], builder: PluginBuilder,
        begins: @escaping @Sendable (PluginBuild) -> Void,
        ended: @escaping @Sendable (PluginBuild, PluginBuilder.Outcome) -> Void
    ) {
        watched = Lock(trees.map { Watched(build: $0.build, seen: $0.tree, built: $0.tree) })
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
        // Nobody else changes how many there are.
        for index in watched.withLock({ $0.indices }) {
            let tree = SourceTree(watched.withLock { $0[index].build.sources })
            let build = watched.withLock { watched -> PluginBuild? in
                watched[index].looks = tree == watched[index].seen ? watched[index].looks + 1 : 0
                watched[index].seen = tree
                guard !tree.isIncomplete, !watched[index].isBuilding, tree != watched[index].built,
                    watched[index].looks >= Self.settled
                else { return nil }
                (watched[index].built, watched[index].isBuilding) = (tree, true)
                return watched[index].build
            }
            guard let build else { continue }
            begins(build)
            builder.build(build, because: .changed) { [weak self] outcome in
                self?.ended(build, outcome)
                self?.watched.withLock { $0[index].isBuilding = false }
            }
        }
    }
}
