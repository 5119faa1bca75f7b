public import Glibc
import HostLoop

/// The host's own standard output, which plugins do not write to.
///
/// After `take`, descriptor 1 is the standard error output. Output of a plugin's `printf` goes there, and
/// cannot corrupt the host's data. Lines of several threads do not mix.
///
/// The process must ignore SIGPIPE, or a closed pipe ends it: call `signal(SIGPIPE, SIG_IGN)` before the
/// first line. Then a closed pipe is an error of `writeLine`.
public final class StandardOutput: Sendable {
    private let descriptor: Int32
    private let lock = Lock(())

    /// Keeps a duplicate of descriptor 1, and makes descriptor 1 a duplicate of `other`. Call it once, at the
    /// start, before a plugin is loaded or a thread is started.
    ///
    /// - Throws: `DiagnosticCode.outputFailed` when descriptor 1 is not open or no descriptor is left.
    public static func take(diverting other: Int32 = STDERR_FILENO) throws(PluginError) -> StandardOutput {
        try StandardOutput(other)
    }

    private init(_ other: Int32) throws(PluginError) {
        // At least 3, as a process that was started without standard input would get 0.
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
    /// - Throws: `DiagnosticCode.outputClosed` when the reader has gone; `outputFailed` for other errors,
    ///   such as a full disk. A part of the line may be written then.
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

    /// Waits so many milliseconds, or until the reader of a pipe has gone. Returns false then.
    public func isOpen(after milliseconds: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        // Safe because the structure lives for the call.
        return unsafe poll(&state, 1, milliseconds) <= 0
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> SystemError? {
        // Safe because `rest` always lies within the caller's bytes.
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress!, rest.count)
            if count >= 0 {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                // Another process may have made the pipe or terminal non-blocking, which affects all its
                // users.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return SystemError.last
            }
        }
        return nil
    }
}
