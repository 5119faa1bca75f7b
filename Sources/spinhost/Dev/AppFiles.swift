import HostLoop

/// The files that an app is made of, as they were when the app took them last. May be used from any thread.
///
/// They come in groups that change together: the manifest, the sources of each plugin, each library.
final class AppFiles: Sendable {
    /// How long after a look the next one follows.
    private static let pace = Duration.milliseconds(50)

    private let taken: Lock<[[String]: SourceTree]>

    /// - Parameter group: the first group; the app takes it as it is now.
    init(_ group: [String]) { taken = Lock([group: SourceTree(group)]) }

    /// The app takes a group of files as it is now, or as it was when the tree was made.
    func take(_ group: [String], _ tree: SourceTree? = nil) {
        let tree = tree ?? SourceTree(group)
        taken.withLock { $0[group] = tree }
    }

    /// The app takes a group of files as others took it.
    func take(_ group: [String], from others: AppFiles) {
        guard let tree = others.taken.withLock({ $0[group] }) else { return }
        take(group, tree)
    }

    /// Waits until a file differs from what the app took, and all have stayed the same for two looks.
    ///
    /// A file that is gone or empty is about to be there again, and does not count yet.
    ///
    /// - Parameter isOver: whether to stop waiting; asked before each look.
    func waitForSave(or isOver: () -> Bool) async {
        var groups = taken.withLock { $0 }.map { (paths: $0, files: SettledSources($1)) }
        while !isOver() {
            for index in groups.indices {
                groups[index].files.look(SourceTree(groups[index].paths), at: .now)
            }
            if groups.allSatisfy(\.files.isSettled),
                groups.indices.contains(where: { groups[$0].files.take() })
            {
                return
            }
            try? await Task.sleep(for: Self.pace)
        }
    }
}
