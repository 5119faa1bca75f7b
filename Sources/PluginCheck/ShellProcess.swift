import Glibc
import HostLoop

/// A process of the shell. May be used from any thread.
public final class ShellProcess: Sendable {
    private let process: pid_t
    private let hasGroup: Bool
    private let hasEnded = Lock(false)

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
        if inGroup {
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
        (self.process, hasGroup) = (process, inGroup)
    }

    /// Waits for its end: how it ended, as `wait(2)` has it; nil when the system does not say. Once for each process.
    public func wait() -> Int32? {
        var information = unsafe siginfo_t()
        // Safe because the structure is a local, which the call writes. The process keeps its number until it is asked for below.
        while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 {
            guard errno == EINTR else { break }
        }
        return hasEnded.withLock { hasEnded in
            hasEnded = true
            var status: Int32 = 0
            // Safe because the status is a local, which the call writes.
            while unsafe waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return nil }
            }
            return status
        }
    }

    /// Sends it a signal, and with a group all that it started; nothing once it was waited for.
    public func end(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if !hasEnded { kill(hasGroup ? -process : process, signal) }
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
