import Glibc

/// The sources of a plugin as they are at one time.
struct SourceTree: Equatable, Sendable {
    /// So many files of folders count at most.
    static let limit = 10_000

    private var files: [String: FileMark] = [:]
    /// True when a file that is named is not there, or empty: it is about to be there again.
    private(set) var isIncomplete = false

    /// Looks at files and folders.
    ///
    /// Of a folder, the files that builds read count, by their names' ends, in folders within it too; but not what is hidden, nor
    /// folders that a build has made (`CMakeCache.txt`, `CACHEDIR.TAG`), nor what links lead to.
    init(_ paths: [String]) {
        for path in paths {
            var status = stat()
            // Safe because path and status are borrowed for the call.
            if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                add(folder: path)
            } else if let mark = FileMark(path) {
                files[path] = mark
            } else {
                isIncomplete = true
            }
        }
    }

    private mutating func add(folder: String) {
        var folders = [folder]
        while let folder = folders.popLast(), files.count < Self.limit {
            let entries = FolderReader.entries(of: folder)
            if folders.count > Self.limit || entries.contains(where: { Self.marks.contains($0.name) }) {
                continue
            }
            for entry in entries where !entry.name.hasPrefix(".") {
                let path = "\(folder)/\(entry.name)"
                if entry.isFolder {
                    folders.append(path)
                } else if Self.isSource(entry.name), let mark = FileMark(path) {
                    files[path] = mark
                }
            }
        }
    }

    /// Whether one was written to after the file at `path`, or that file is not there.
    func isNewer(than path: String) -> Bool {
        guard let mark = FileMark(path) else { return true }
        return files.values.contains { $0.isNewer(than: mark) }
    }

    private static let marks: Set<String> = ["CMakeCache.txt", "CACHEDIR.TAG"]

    private static func isSource(_ name: String) -> Bool {
        if ["Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"].contains(name) { return true }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return ends.contains(name[name.index(after: dot)...])
    }

    private static let ends = Set(
        """
        c h cc cpp cxx c++ hh hpp hxx inc inl ipp def m mm s S swift rs zig go d f90 modulemap map ld ninja mk cmake toml lock
        """.split(whereSeparator: \.isWhitespace))
}
