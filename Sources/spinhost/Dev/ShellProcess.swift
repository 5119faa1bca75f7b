import CLinux
import Glibc
import HostLoop

/// A process that runs a line of the shell. May be used from any thread.
final class ShellProcess: Sendable {
    private struct State {
        var isToEnd = false
        var hasEnded = false
    }

    private let process: pid_t
    /// With a process group: one end of a connection. All processes of the group inherit the other end, so
    /// the connection closes when the last of them has ended.
    private let group: Int32?
    private let state = Lock(State())

    /// Starts a line; nil if no process can be started.
    ///
    /// - Parameters:
    ///   - descriptors: its standard input, output and error; nil for those of this program.
    ///   - inGroup: whether it gets its own process group. Then `end` ends all processes that it has started,
    ///     an interrupt at the terminal does not reach it, and it does not ignore the signals that this
    ///     program ignores.
    init?(
        _ line: String, descriptors: (input: Int32, output: Int32, errors: Int32)? = nil,
        inGroup: Bool = false
    ) {
        var process: pid_t = 0
        // Safe because the texts are NUL-terminated copies until they are freed, and null ends their list.
        // The calls fill in local attributes and sets, and keep none of them.
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sh"), strdup("-c"), strdup(line), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let descriptors {
            for (number, from) in [descriptors.input, descriptors.output, descriptors.errors].enumerated() {
                guard unsafe posix_spawn_file_actions_adddup2(&actions, from, Int32(number)) == 0 else {
                    return nil
                }
            }
        }
        var ends: [Int32] = []
        defer { for end in ends { close(end) } }
        if inGroup {
            var pair: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
            ends = pair
            // The copy stays open in the child. The child gets none of the others, which plugins may have opened.
            guard unsafe posix_spawn_file_actions_adddup2(&actions, pair[1], 3) == 0,
                unsafe linux_close_from(&actions, 4) == 0
            else { return nil }
            guard unsafe linux_lead_group(&attributes) == 0 else { return nil }
        }
        guard unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ) == 0 else {
            return nil
        }
        self.process = process
        group = inGroup ? ends.removeFirst() : nil
    }

    deinit { if let group { close(group) } }

    /// Waits until it has ended. Call it once for each process.
    ///
    /// With a group, it kills the processes that still run in the group if the process was ended by a signal
    /// or by `end`.
    ///
    /// - Parameter patience: how long the processes of the group may take to end after `end`, at most an
    ///   hour.
    /// - Returns: the status of `wait(2)`; nil if the system does not give one.
    func wait(patience: Duration = .seconds(2)) -> Int32? {
        var information = unsafe siginfo_t()
        var answer: Int32 = -1
        while answer < 0 {
            // Safe because the structure is a local, which the call writes.
            answer = unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT)
            guard answer == 0 || errno == EINTR else { break }
        }
        // Until the status is fetched, the system does not reuse the process's number, which is also the
        // group's.
        if answer == 0, let group {
            let isToEnd = state.withLock { $0.isToEnd }
            if isToEnd { Self.await(group, patience) }
            let ended = unsafe information.si_code
            if isToEnd || ended != Int32(CLD_EXITED) { kill(-process, SIGKILL) }
        }
        return state.withLock { state in
            state.hasEnded = true
            var status: Int32 = 0
            // Safe because the status is a local, which the call writes.
            while unsafe waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return nil }
            }
            return status
        }
    }

    /// Waits until no process has the other end of a connection, or the time is over.
    private static func await(_ connection: Int32, _ patience: Duration) {
        let end = ContinuousClock.now + patience
        var look = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        var answer: Int32
        repeat {
            let left = Int32(max(0, ContinuousClock.now.duration(to: end) / .milliseconds(1)))
            // Safe because the call gets the number of structures, one.
            answer = unsafe poll(&look, 1, left)
        } while answer < 0 && errno == EINTR
    }

    /// Sends a signal to the process, and with a group to all processes in it. It does nothing after `wait`.
    func end(_ signal: Int32) {
        state.withLock { state in
            state.isToEnd = true
            if !state.hasEnded { kill(group == nil ? process : -process, signal) }
        }
    }
}
