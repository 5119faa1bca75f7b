import Glibc

/// Names for old files of a journal, which stay beside the new one.
enum KeptFile {
    /// Whether the path is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        // Safe because path and structure live for the call.
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The first of `FILE.WORD-1`, `FILE.WORD-2`, … that no file has.
    static func name(for path: String, _ word: String) -> String {
        var (number, status) = (1, stat())
        // Safe because path and structure live for the call. A dangling link counts as a file.
        while unsafe lstat("\(path).\(word)-\(number)", &status) == 0 { number += 1 }
        return "\(path).\(word)-\(number)"
    }
}
