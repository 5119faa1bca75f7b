public import Dispatch
public import Glibc
import HostLoop

/// The host's own standard output, which plugins do not write to.
///
/// After `take`, descriptor 1 is the standard error output. Output of a plugin's `printf` goes there, and
/// cannot corrupt the host's data. Lines of several threads do not mix.
///
/// The process must ignore SIGPIPE, or a closed pipe ends it: call `signal(SIGPIPE, SIG_IGN)` before the
/// first line. Then a closed pipe is an error of the functions that write.
public final class StandardOutput: Sendable {
    private struct Waiting: Sendable {
        /// How many bytes wait, as whole lines.
        var count = 0
        /// Whether they will be written after a while.
        var isTimed = false
        /// Why nothing more can be written.
        var failure: SystemError?
    }

    private let descriptor: Int32
    private let waiting = Lock(Waiting())
    private let lines: WaitingLines
    private let queue = DispatchQueue(label: "spinhost.output")

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
        descriptor = kept
        lines = WaitingLines(of: kept)
    }

    deinit { close(descriptor) }

    /// Writes the lines that wait, `line` and a line end, and returns when all of it is written.
    ///
    /// - Throws: `DiagnosticCode.outputClosed` when the reader has gone; `outputFailed` for other errors,
    ///   such as a full disk. A part of the lines may be written then, and nothing is written later.
    public func writeLine(_ line: String) throws(PluginError) {
        let line = Array(line.utf8)
        try throwing(
            waiting.withLock { waiting in
                add(line, to: &waiting)
                write(&waiting)
                return waiting.failure
            })
    }

    /// Adds a line to those that wait. They are written together: when there are many, with the next `writeLine`, and
    /// some 20 ms after the first of them. When a plugin ends the process, they are written, too.
    ///
    /// - Parameters:
    ///   - line: UTF-8, without a line end.
    ///   - failed: called on another thread when they cannot be written then.
    /// - Throws: the same as `writeLine`. Its reader may have gone before a line is written.
    public func addLine(
        _ line: [UInt8], failed: @escaping @Sendable (PluginError) -> Void
    ) throws(PluginError) {
        let (failure, isFirst) = waiting.withLock { waiting -> (SystemError?, Bool) in
            add(line, to: &waiting)
            defer { waiting.isTimed = true }
            // So a reader that has gone ends the run now, and not when the lines are written.
            if !waiting.isTimed, !isOpen(after: 0) { waiting.failure = SystemError(number: EPIPE) }
            return (waiting.failure, !waiting.isTimed)
        }
        if isFirst {
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
                waiting.withLock { $0.isTimed = false }
                do throws(PluginError) { try flush() } catch { failed(error) }
            }
        }
        try throwing(failure)
    }

    /// Writes the lines that wait.
    ///
    /// - Throws: the same as `writeLine`.
    public func flush() throws(PluginError) {
        try throwing(
            waiting.withLock { waiting in
                write(&waiting)
                return waiting.failure
            })
    }

    /// Writes the lines that wait, or gives up when that takes longer, as the reader of a pipe does not read.
    public func flush(within limit: DispatchTimeInterval) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [self] in
            try? flush()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + limit)
    }

    /// Adds a line behind those that wait; they are written before one that has no room behind them.
    private func add(_ line: [UInt8], to waiting: inout Waiting) {
        if waiting.count + line.count >= WaitingLines.capacity { write(&waiting) }
        guard line.count < WaitingLines.capacity else {
            let line = line + [UInt8(ascii: "\n")]
            // Safe because the bytes are borrowed for the call.
            if waiting.failure == nil { waiting.failure = unsafe line.withUnsafeBytes { unsafe write($0) } }
            return
        }
        waiting.count = lines.add(line, behind: waiting.count)
    }

    private func write(_ waiting: inout Waiting) {
        guard waiting.count > 0 else { return }
        // Safe because the lock is held while the memory is read.
        if waiting.failure == nil { waiting.failure = unsafe write(lines.view(waiting.count)) }
        waiting.count = 0
        lines.removeAll()
    }

    private func throwing(_ failure: SystemError?) throws(PluginError) {
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
