import CLinux
import Glibc

/// Marks a folder for copies as in use: a file in it that its host keeps locked (`flock`). When the host
/// ends, the system unlocks the file, even after a crash.
///
/// A folder is abandoned if it has the file and the file can be locked. The host never removes a folder
/// without the file.
final class StagingMark: Sendable {
    /// The prefix of the names of all folders; six letters or digits follow.
    static let prefix = "spinhost-"
    private static let name = ".in-use"

    private let file: Int32

    /// Marks a new folder; nil when another host has removed it meanwhile, or is about to.
    ///
    /// - Throws: `DiagnosticCode.notStaged` when the mark cannot be made.
    init?(for folder: String) throws(PluginError) {
        // Safe because the path is borrowed for the call.
        file = unsafe open("\(folder)/\(Self.name)", O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .notStaged(folder)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .notStaged(folder)
        }
        var status = stat()
        // Safe because `status` is a local. Another host has already removed a file without a link.
        guard unsafe fstat(file, &status) == 0, status.st_nlink > 0 else { return nil }
    }

    deinit { if file >= 0 { Glibc.close(file) } }

    /// Removes the marked folder and everything in it.
    func removeFolder(_ path: String) { Self.remove(path, in: AT_FDCWD) { _ in true } }

    /// Removes the folders of this user's hosts that have ended. A folder that cannot be removed stays.
    static func sweep(_ parent: String) {
        forEachEntry(of: AT_FDCWD, parent) { parent, name in
            let letters = name.utf8.dropFirst(prefix.utf8.count)
            guard name.hasPrefix(prefix), letters.count == 6 else { return }
            remove(name, in: parent) { mark in flock(mark, LOCK_EX | LOCK_NB) == 0 }
        }
    }

    /// Removes a folder if it is private to this user, has a mark, and `condition` returns true for the
    /// mark's descriptor. The descriptor stays open until the folder is gone. Follows no symbolic link.
    private static func remove(_ name: String, in parent: Int32, if condition: (Int32) -> Bool) {
        // Safe because the names are borrowed for the calls, and `status` is a local.
        let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { Glibc.close(folder) }
        var status = stat()
        guard unsafe fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            return
        }
        let mark = unsafe openat(folder, Self.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard mark >= 0 else { return }
        defer { Glibc.close(mark) }
        guard condition(mark) else { return }
        empty(folder, except: Self.name)
        // The mark goes last, so that a later host finds a folder whose removal was interrupted.
        _ = unsafe unlinkat(folder, Self.name, 0)
        _ = unsafe unlinkat(parent, name, AT_REMOVEDIR)
    }

    private static func empty(_ folder: Int32, except kept: String? = nil) {
        forEachEntry(of: folder, ".") { folder, name in
            // Safe because the name is borrowed for the calls.
            guard name != kept, unsafe unlinkat(folder, name, 0) != 0 else { return }
            let child = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard child >= 0 else { return }
            empty(child)
            Glibc.close(child)
            _ = unsafe unlinkat(folder, name, AT_REMOVEDIR)
        }
    }

    /// Calls `body` with a descriptor of the folder `name` in `parent`, once for each entry of the folder.
    private static func forEachEntry(of parent: Int32, _ name: String, _ body: (Int32, String) -> Void) {
        // Safe because only this thread reads the directory, and each entry is copied before the next one is
        // read.
        let descriptor = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let directory = unsafe fdopendir(descriptor) else {
            Glibc.close(descriptor)
            return
        }
        while let entry = unsafe readdir(directory) {
            let name = unsafe String(cString: linux_entry_name(entry))
            if name != ".", name != ".." { body(descriptor, name) }
        }
        _ = unsafe closedir(directory)
    }
}
