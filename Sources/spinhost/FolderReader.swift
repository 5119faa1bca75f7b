import CLinux
import Glibc

/// Reads the entries of folders.
enum FolderReader {
    /// An entry of a folder.
    struct Entry {
        let name: String
        /// True for a folder, but not for a link to one.
        let isFolder: Bool
    }

    /// The entries of the folder at `path`, in no particular order; empty if the folder cannot be read.
    static func entries(of path: String) -> [Entry] {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let folder = unsafe opendir(path) else { return [] }
        // Safe because the folder is open until this returns.
        defer { unsafe closedir(folder) }
        var entries: [Entry] = []
        // Safe because an entry is copied before the next one is read, and its name is NUL-terminated.
        while let entry = unsafe readdir(folder) {
            let name = unsafe String(cString: linux_entry_name(entry))
            let isFolder =
                switch unsafe Int(entry.pointee.d_type) {
                case DT_DIR: true
                case DT_UNKNOWN: Self.isFolder("\(path)/\(name)")
                default: false
                }
            if name != ".", name != ".." { entries.append(Entry(name: name, isFolder: isFolder)) }
        }
        return entries
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        // Safe because path and status are borrowed for the call.
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
