public import Glibc
import HostLoop

/// The host's own standard output, which no plugin can reach.
///
/// After `take`, descriptor 1 is the standard error output: what a plugin prints with `printf` ends up there
/// and cannot corrupt the data that the host writes. Lines of several threads do not mix.
///
/// A closed pipe is answered with an error only if the process ignores SIGPIPE, which otherwise ends it: call
/// `signal(SIGPIPE, SIG_IGN)` before the first line.
public final class StandardOutput: Sendable {
    private let descriptor: Int32
    private let lock = Lock(())

    /// Keeps what descriptor 1 stands for, and lets 1 stand for what `other` does from now on. Call it once,
    /// at the start, before a plugin is loaded or a thread is started.
    ///
    /// - Throws: `DiagnosticCode.outputFailed` when descriptor 1 is not open or no descriptor is left.
    public static func take(diverting other: Int32 = STDERR_FILENO) throws(PluginError) -> StandardOutput {
        try StandardOutput(other)
    }

    private init(_ other: Int32) throws(PluginError) {
        // A number above the standard three, or a process without standard input would get it as its own.
        let kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard kept >= 0 else {
            throw PluginError(.outputFailed, "there is no standard output: \(SystemError.last.text)")
        }
        guard dup2(other, STDOUT_FILENO) >= 0 else {
            let reason = SystemError.last.text
            close(kept)
            throw PluginError(.outputFailed, "cannot divert the standard output of plugins: \(reason)")
        }
        self.descriptor = kept
    }

    deinit { close(descriptor) }

    /// Writes `line` and a line end, and returns when all of it is written.
    ///
    /// - Throws: `DiagnosticCode.outputClosed` when the reader has gone, `outputFailed` for anything else,
    ///   such as a full disk; part of the line may be written then.
    public func writeLine(_ line: String) throws(PluginError) {
        var text = line
        text.append("\n")
        let failure = text.withUTF8 { bytes in
            // Safe because the bytes are borrowed for the call.
            lock.withLock { _ in unsafe write(UnsafeRawBufferPointer(bytes)) }
        }
        guard let failure else { return }
        throw failure.number == EPIPE
            ? PluginError(.outputClosed, "the reader of the output has gone")
            : PluginError(.outputFailed, "cannot write to the output: \(failure.text)")
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> SystemError? {
        // Safe because `rest` is what is left of the caller's bytes.
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress!, rest.count)
            if count >= 0 {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                // Somebody made the pipe or terminal non-blocking, which all its holders share.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return SystemError.last
            }
        }
        return nil
    }
}
