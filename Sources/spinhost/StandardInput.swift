import Glibc

/// The standard input, descriptor 0.
enum StandardInput {
    /// If it is closed, lets 0 stand for something that cannot be read: else the next descriptor that is opened for
    /// anything would be taken for the standard input. To be called before that.
    static func keep() {
        guard fcntl(STDIN_FILENO, F_GETFD) < 0 else { return }
        // Safe because the path is borrowed for the call.
        _ = unsafe open("/dev/null", O_WRONLY)
    }
}
