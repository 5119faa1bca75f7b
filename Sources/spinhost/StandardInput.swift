import Glibc

/// The standard input, descriptor 0.
enum StandardInput {
    /// If descriptor 0 is closed, opens it for a file that cannot be read. Otherwise the next file that the
    /// program opens would become its standard input. The program must call it before it opens any file.
    static func keep() {
        guard fcntl(STDIN_FILENO, F_GETFD) < 0 else { return }
        // Safe because the path is borrowed for the call.
        _ = unsafe open("/dev/null", O_WRONLY)
    }
}
