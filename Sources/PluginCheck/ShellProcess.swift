import Glibc

/// A process of the shell that is waited for.
public enum ShellProcess {
    /// Runs a line: how it ended, as `wait(2)` has it; nil when there is no process for it.
    ///
    /// Other than with `system`, who interrupts this program ends it, and what it runs.
    public static func status(of line: String) -> Int32? {
        var process: pid_t = 0
        // Safe because the texts are NUL-terminated copies until they are freed, the list of them ends with null, and
        // the call keeps none of it.
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sh"), strdup("-c"), strdup(line), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        guard unsafe posix_spawn(&process, "/bin/sh", nil, nil, words, environ) == 0 else { return nil }
        var status: Int32 = 0
        // Safe because the status is a local, which the call writes.
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status
    }
}
