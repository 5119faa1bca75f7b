import Glibc

/// The Enter key of the terminal at the standard input, as long as no app reads it.
enum EnterKey {
    /// Forgets what was typed before.
    static func forget() {
        if isOurs { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// Whether a line was typed since; it is read. Never waits.
    static var wasPressed: Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Safe because the request is a local, which the call writes.
        guard isOurs, unsafe poll(&request, 1, 0) > 0, request.revents == Int16(POLLIN) else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Safe because the call writes at most as many bytes as the array has.
        return unsafe read(STDIN_FILENO, &bytes, bytes.count) > 0
    }

    /// False for a job in the background, which the system stops when it reads the terminal.
    private static var isOurs: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }
}
