import Glibc
import Isolation
import PluginHost

/// The state that all code of a process shares, and that plugins must not change.
struct ProcessState {
    /// For each signal, the address of its handler, and whether this thread blocks it.
    private let handlers: [UInt]
    private let blocked: [Bool]
    private let folder: String
    private let mask: mode_t
    private let locale: String
    private let rounding: Int32
    private let environment: Set<String>
    /// The number of threads.
    let threads: Int
    /// The number of open files.
    let files: Int

    /// The present state, as this thread sees it.
    init() {
        // Signals from 32 on belong to the C library or do not matter.
        let signals = 1..<Int32(32)
        handlers = signals.map(Self.handler)
        var set = sigset_t()
        // Safe because the set is a local, which the call writes.
        _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &set)
        blocked = signals.map { unsafe sigismember(&set, $0) == 1 }
        // Safe because the texts of the C library are copied at once, and `getcwd`'s text is freed once.
        let current = unsafe getcwd(nil, 0)
        folder = unsafe current.map { unsafe String(cString: $0) } ?? ""
        unsafe free(current)
        mask = umask(0)
        _ = umask(mask)
        locale = unsafe setlocale(LC_ALL, nil).map { unsafe String(cString: $0) } ?? ""
        rounding = fegetround()
        environment = Set(ProcessEnvironment.variables)
        threads = Self.entries(of: "/proc/self/task")
        files = Self.entries(of: "/proc/self/fd")
    }

    /// The differences from an earlier state in words, without threads and files.
    func changes(since before: ProcessState) -> [String] {
        var changes: [String] = []
        for index in handlers.indices where handlers[index] != before.handlers[index] {
            changes.append("the handler of \(SignalName.name(Int32(index + 1)))")
        }
        if blocked != before.blocked { changes.append("the signals that the thread blocks") }
        if folder != before.folder { changes.append("the current folder") }
        if mask != before.mask { changes.append("the umask") }
        if locale != before.locale { changes.append("the locale") }
        if rounding != before.rounding { changes.append("the rounding of floating-point numbers") }
        if environment != before.environment { changes.append("the environment") }
        return changes
    }

    private static func handler(_ signal: Int32) -> UInt {
        var action = sigaction()
        // Safe because the structure is a local; the handler's address is taken as a number.
        guard unsafe sigaction(signal, nil, &action) == 0 else { return 0 }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    private static func entries(of path: String) -> Int {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let folder = unsafe opendir(path) else { return 0 }
        // Safe because the folder is open until this returns.
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }
}
