import HostLoop

/// The files that an app is made of, as they were when the app took them last. May be used from any thread.
///
/// They come in groups that change together: the manifest, the sources of each plugin, each library and private library.
final class AppFiles: Sendable {
    /// How long after a look the next one follows.
    private static let pace = Duration.milliseconds(50)

    private let groups: Lock<[[String]: SettledSources]>

    /// - Parameter group: the first group; the app takes it as it is now.
    init(_ group: [String]) { groups = Lock([group: SettledSources(SourceTree(group))]) }

    /// The app takes a group of files as it is now, or as it was when the tree was made.
    func take(_ group: [String], _ tree: SourceTree? = nil) {
        let tree = tree ?? SourceTree(group)
        groups.withLock { $0[group] = SettledSources(tree) }
    }

    /// The app takes a group of files as others took it.
    func take(_ group: [String], from others: AppFiles) {
        guard let tree = others.groups.withLock({ $0[group]?.taken }) else { return }
        take(group, tree)
    }

    /// Waits until a file differs from what the app took, and all have stayed the same for two looks.
    ///
    /// A file that is gone or empty is about to be there again, and does not count yet.
    ///
    /// - Parameter isOver: whether to stop waiting; asked before each look.
    func waitForSave(or isOver: () -> Bool) async {
        while !isOver() {
            let trees = groups.withLock { Array($0.keys) }.map { ($0, SourceTree($0)) }
            let isSaved = groups.withLock { groups in
                for (group, tree) in trees { groups[group]?.look(tree, at: .now) }
                guard groups.values.allSatisfy(\.isSettled) else { return false }
                return groups.keys.contains { groups[$0]?.take() == true }
            }
            if isSaved { return }
            try? await Task.sleep(for: Self.pace)
        }
    }
}
