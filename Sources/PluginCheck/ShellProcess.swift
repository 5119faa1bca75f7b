import Glibc
import HostLoop

/// A process of the shell. May be used from any thread.
public final class ShellProcess: Sendable {
    private struct State {
        var isToEnd = false
        var hasEnded = false
    }

    private let process: pid_t
    /// With a group: an end of a connection whose other end all that was started has, so that it shows when none of it is left.
    private let group: Int32?
    private let state = Lock(State())

    /// Starts a line; nil when there is no process for it.
    ///
    /// - Parameters:
    ///   - descriptors: what its standard input and outputs are; nil: those of this program.
    ///   - inGroup: whether it gets a process group of its own, with which `end` ends all that it started, and which
    ///     who interrupts this program at a terminal does not reach; signals that this program ignores are not ignored in it.
    public init?(
        _ line: String, descriptors: (input: Int32, output: Int32, errors: Int32)? = nil,
        inGroup: Bool = false
    ) {
        var process: pid_t = 0
        // Safe because the texts are NUL-terminated copies until they are freed, the list of them ends with null, attributes and
        // sets are locals that the calls fill in, and none of it is kept.
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
            // One is handed down, as it is copied to itself.
            guard unsafe posix_spawn_file_actions_adddup2(&actions, pair[1], pair[1]) == 0 else { return nil }
            var none = sigset_t()
            var all = sigset_t()
            _ = unsafe sigemptyset(&none)
            _ = unsafe sigfillset(&all)
            _ = unsafe posix_spawnattr_setpgroup(&attributes, 0)
            _ = unsafe posix_spawnattr_setsigmask(&attributes, &none)
            _ = unsafe posix_spawnattr_setsigdefault(&attributes, &all)
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
            _ = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        }
        guard unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ) == 0 else {
            return nil
        }
        self.process = process
        group = inGroup ? ends.removeFirst() : nil
    }

    deinit { if let group { close(group) } }

    /// Waits for its end: how it ended, as `wait(2)` has it; nil when the system does not say. Once for each process.
    ///
    /// With a group, all that it started is killed if it ended by a signal, or was told to end, like all of it, and the others have not.
    ///
    /// - Parameter patience: how long those that were told to may take to end, below an hour.
    public func wait(patience: Duration = .seconds(2)) -> Int32? {
        var information = unsafe siginfo_t()
        var answer: Int32 = -1
        while answer < 0 {
            // Safe because the structure is a local, which the call writes.
            answer = unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT)
            guard answer == 0 || errno == EINTR else { break }
        }
        // Until it is asked for, its number, which is that of the group, is given to nobody else.
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

    /// Waits until nobody has the other end of a connection.
    private static func await(_ connection: Int32, _ patience: Duration) {
        let end = ContinuousClock.now + patience
        var look = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        var answer: Int32
        repeat {
            let left = Int32(max(0, ContinuousClock.now.duration(to: end) / .milliseconds(1)))
            // Safe because the call is told that it is one.
            answer = unsafe poll(&look, 1, left)
        } while answer < 0 && errno == EINTR
    }

    /// Sends it a signal by which it is to end, and with a group all that it started; nothing once it was waited for.
    public func end(_ signal: Int32) {
        state.withLock { state in
            state.isToEnd = true
            if !state.hasEnded { kill(group == nil ? process : -process, signal) }
        }
    }

    /// Runs a line: how it ended, as `wait(2)` has it; nil when there is no process for it.
    ///
    /// Other than with `system`, who interrupts this program ends it, and what it runs, unless it has a group of its own.
    public static func status(
        of line: String, descriptors: (input: Int32, output: Int32, errors: Int32)? = nil,
        inGroup: Bool = false
    ) -> Int32? { ShellProcess(line, descriptors: descriptors, inGroup: inGroup)?.wait() }
}
