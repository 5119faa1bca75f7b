import CLinux
import Glibc
import PluginHost

/// A folder that only this user can reach, removed with the last reference and all that is in it.
final class PrivateFolder: Sendable {
    let path: String

    /// - Throws: `DiagnosticCode.workerNotStarted`.
    init(in parent: String) throws(PluginError) {
        var path = Array("\(parent)/worker-XXXXXX".utf8CString)
        // Safe because the template is NUL-terminated, and the call changes its last letters alone.
        guard let made = unsafe mkdtemp(&path) else {
            throw .notStarted("it gets no folder in `\(parent)`: \(SystemError.last.text)")
        }
        // Without links, as all paths of a policy.
        let real = unsafe realpath(made, nil)
        self.path = unsafe String(cString: real ?? made)
        unsafe free(real)
    }

    // Safe because the path is borrowed for the call.
    deinit { unsafe linux_remove_folder(path) }
}
