import CLinux
import Glibc

/// The terminal as a whole screen: without the lines before, without a cursor, and with keys as they are typed.
///
/// `leave` gives the terminal back as it was. One thread may use it.
struct Screen {
    /// The signals that end or interrupt a program that has the screen, or change its size.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

    /// What the user or the system wants.
    enum Input: Equatable {
        case key(UInt8)
        /// The program must end.
        case end
        /// The screen must be drawn again.
        case redraw
    }

    /// Where signals are read.
    private let pipe: Int32
    // As the terminal was before.
    private let before: termios

    /// Takes the screen; nil if stdin or stdout is no terminal, or there is no descriptor left.
    init?() {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else { return nil }
        var before = termios()
        // Safe because the structure lives for the call.
        guard unsafe tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        // Safe because the call gets the length of the array.
        pipe = unsafe linux_signal_pipe(Self.signals, Int32(Self.signals.count))
        guard pipe >= 0 else { return nil }
        self.before = before
        enter()
    }

    /// The descriptors that have input.
    var descriptors: [Int32] { [STDIN_FILENO, pipe] }

    /// The columns and rows.
    var size: (columns: Int, rows: Int) { Terminal.size(STDOUT_FILENO) }

    private func enter() {
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Safe because the structure lives for the call.
        unsafe _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Gives the terminal back.
    func leave() {
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        var before = before
        // Safe because the structure lives for the call.
        unsafe _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// Draws lines from the top, each no wider than the screen, and erases the rest.
    func draw(_ lines: [String]) {
        let text = lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n")
        Self.write("\u{1B}[H\(text)\u{1B}[J")
    }

    /// What came since the last call. It does not wait. Ctrl-Z stops the program until another one continues it.
    func input() -> [Input] {
        var inputs: [Input] = []
        for byte in Self.bytes(pipe) {
            switch Int32(byte) {
            case SIGWINCH: inputs.append(.redraw)
            case SIGCONT:
                enter()
                inputs.append(.redraw)
            case SIGTSTP:
                leave()
                // The program continues here, after SIGCONT.
                kill(getpid(), SIGSTOP)
            default: inputs.append(.end)
            }
        }
        var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Safe because the request lives for the call.
        guard unsafe poll(&polled, 1, 0) > 0 else { return inputs }
        let keys = Self.bytes(STDIN_FILENO)
        // The terminal is gone.
        if keys.isEmpty { return inputs + [.end] }
        return inputs + keys.map { .key($0) }
    }

    private static func bytes(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        // Safe because the call gets the length of the array.
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Safe because the bytes are borrowed for the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
