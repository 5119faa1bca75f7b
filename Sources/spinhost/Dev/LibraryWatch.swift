import App
import Dispatch
import HostLoop
import Interfaces
import Manifest
import PluginHost

/// Has a running app swap each plugin whose library, or a private library of it, has changed.
///
/// It looks at the files twenty times a second: unlike notifications, that works for every way of replacing a file,
/// through links, and on every file system. A file is taken when it stayed the same from one look to the next, so that one which
/// is being written is not. If it was too early all the same, the swap is refused, and tried again when the file changes
/// again. The same content
/// is not tried again after a refusal. A swap that fails for a reason that is not the library's is tried again as it is, twice.
final class LibraryWatch: Sendable {
    private struct Watched {
        let plugin: String
        /// Its library, then its private libraries.
        var files: [SettledFile]
        /// The hash of the version that was refused last; nil when another one was seen since.
        var refused: String?
        /// How many builds write to it.
        var holds = 0
    }

    private let watched: Lock<[Watched]>
    private let mayBegin: @Sendable () -> Bool
    private let swap: Swap
    /// The swap that was begun last.
    private let last = Lock<Task<Void, Never>?>(nil)
    private let ticker = Ticker("spinhost.dev", every: .milliseconds(50))

    /// Swaps a plugin with these files, unless they are the version with the hash `refused`.
    typealias Swap =
        @Sendable (_ plugin: String, _ files: [String], _ refused: String?) async -> SwapReport?

    /// - Parameters:
    ///   - mayBegin: whether plugins can be swapped; no file is taken before.
    ///   - swap: called for each plugin that a loop calls once, and again whenever one of its files has changed, with all of
    ///     them; nil when another app has the place of this one.
    init(
        _ app: App, mayBegin: @escaping @Sendable () -> Bool, swap: @escaping Swap
    ) {
        watched = Lock(
            app.loadedPlugins.compactMap { plugin -> Watched? in
                guard case .file(let path) = plugin.location else { return nil }
                return Watched(
                    plugin: plugin.name,
                    files: PluginImage.files(ofLibrary: path).map { SettledFile($0) })
            })
        (self.mayBegin, self.swap) = (mayBegin, swap)
    }

    /// Looks until `stop`.
    func start() {
        ticker.start { [weak self] in self?.look() }
    }

    /// Leaves the library of a plugin, or all of them, alone until `release`, as it is being built.
    func hold(_ plugin: String? = nil) { change(plugin) { $0.holds += 1 } }

    /// Looks at the library at once, and from then on again.
    func release(_ plugin: String? = nil) {
        ticker.queue.async { [self] in
            change(plugin) {
                $0.holds -= 1
                for index in $0.files.indices { $0.files[index].look() }
            }
            look()
        }
    }

    private func change(_ plugin: String?, _ body: (inout Watched) -> Void) {
        watched.withLock { watched in
            for index in watched.indices where plugin == nil || watched[index].plugin == plugin {
                body(&watched[index])
            }
        }
    }

    /// Ends the watch.
    ///
    /// - Parameter isFollowed: whether another app has the place of this one, so that no swap is under way that matters; otherwise
    ///   waits for those that have begun, but not for ever: a library may never come back from its constructor.
    func stop(isFollowed: Bool) async {
        ticker.stop()
        // Behind a look that is under way.
        await withCheckedContinuation { continuation in ticker.queue.async { continuation.resume() } }
        guard !isFollowed, let last = last.withLock({ $0 }) else { return }
        await withCheckedContinuation { continuation in
            Deadline.call(
                { continuation.resume() }, after: App.swapDeadline, of: ContinuousLoopClock(),
                orWhenDone: { ended in
                    Task {
                        await last.value
                        ended()
                    }
                })
        }
    }

    private func look() {
        guard mayBegin() else { return }
        let changed = watched.withLock { watched in
            watched.indices.compactMap { index -> (plugin: String, files: [String])? in
                guard watched[index].holds == 0 else { return nil }
                // Each of them looks.
                let settled = watched[index].files.indices.filter { watched[index].files[$0].settles() }
                return settled.isEmpty
                    ? nil : (watched[index].plugin, watched[index].files.map(\.path))
            }
        }
        for (plugin, files) in changed {
            last.withLock { last in
                last = Task { [self, last] in
                    await last?.value
                    let refused = watched.withLock { $0.first { $0.plugin == plugin }?.refused }
                    guard let report = await swap(plugin, files, refused) else { return }
                    change(plugin) { watched in
                        switch report.outcome {
                        case .refused: watched.refused = report.hash
                        case .failed: watched.files[0].retry()
                        default: if report.hash != refused { watched.refused = nil }
                        }
                    }
                    if report.outcome == .swapped { watchFiles(of: plugin, library: files[0]) }
                }
            }
        }
    }

    /// A version may have other private libraries than the one before.
    private func watchFiles(of plugin: String, library: String) {
        let files = PluginImage.files(ofLibrary: library)
        change(plugin) { watched in
            let known = watched.files
            watched.files = files.map { path in known.first { $0.path == path } ?? SettledFile(path) }
        }
    }
}
