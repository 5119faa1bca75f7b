import Glibc

/// Absolute paths in which a folder stands for all that is below it.
struct PathSet {
    private var paths: Set<String> = []
    /// By their folder.
    private var counts: [String: Int] = [:]

    /// So many files of one folder stand apart. Of more, the folder stands for them.
    private static let most = 8

    mutating func insert(_ path: String) {
        var above = path
        while !above.isEmpty {
            if paths.contains(above) { return }
            above = Self.folder(of: above)
        }
        paths.insert(path)
        for other in paths where other.hasPrefix(path + "/") { remove(other) }
        let folder = Self.folder(of: path)
        counts[folder, default: 0] += 1
        // A folder such as `/etc` has files for many programs.
        if counts[folder, default: 0] > Self.most, !Self.folder(of: folder).isEmpty { insert(folder) }
    }

    private mutating func remove(_ path: String) {
        paths.remove(path)
        counts[Self.folder(of: path), default: 1] -= 1
    }

    /// Those that are there.
    var present: Set<String> { paths.filter(Self.isThere) }

    static func isThere(_ path: String) -> Bool {
        // Safe because the path is borrowed for the call.
        unsafe access(path, F_OK) == 0
    }

    /// The folder that has a file; empty for one at the top.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
