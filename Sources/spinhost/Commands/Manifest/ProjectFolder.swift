import ArgumentParser
import Glibc
import PluginHost

/// A new folder with the files of a project.
struct ProjectFolder {
    /// A file of a project.
    struct File {
        let name: String
        let text: String
    }

    /// Its path, absolute or relative to the current folder.
    let path: String

    /// Creates the folder and writes the files into it. An existing folder must be empty.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    func make(_ files: [File]) throws {
        // Safe because the path is a NUL-terminated copy for the call.
        if unsafe mkdir(path, 0o777) != 0 {
            let number = errno
            guard number == EEXIST, isEmpty else { throw refuse(path, number) }
        }
        for file in files { try write(file) }
    }

    /// True for an empty folder.
    private var isEmpty: Bool {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let folder = unsafe opendir(path) else { return false }
        // Safe because the folder is open until this returns.
        defer { unsafe closedir(folder) }
        // Every folder lists itself and its parent.
        for _ in 0..<2 { guard unsafe readdir(folder) != nil else { return true } }
        return unsafe readdir(folder) == nil
    }

    private func write(_ file: File) throws {
        let path = "\(path)/\(file.name)"
        // Safe because path and mode are NUL-terminated copies for the call.
        guard let stream = unsafe fopen(path, "wxe") else { throw refuse(path, errno) }
        // Safe because the stream is open, and the text a NUL-terminated copy without NUL inside.
        let isWritten = unsafe fputs(file.text, stream) >= 0
        // Safe because the stream is open, and not used again.
        guard unsafe fclose(stream) == 0, isWritten else { throw refuse(path, errno) }
    }

    private func refuse(_ path: String, _ number: Int32) -> ExitCode {
        ErrorOutput.line(
            number == EEXIST
                ? "error: `\(path)` already exists; choose another name"
                : "error: `\(path)` cannot be created: \(SystemError(number: number).text)")
        return ExitStatus.no
    }
}
