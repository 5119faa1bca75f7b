import Glibc

/// Runs another program as a process.
enum Program {
    /// Runs a command to its end. Returns its standard output, if the caller wants that.
    @discardableResult
    static func run(_ command: [String], readsOutput: Bool = false) throws -> String {
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        var ends: [Int32] = [-1, -1]
        if readsOutput {
            guard unsafe pipe(&ends) == 0 else { throw BenchFault("cannot make a pipe") }
            unsafe posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        defer { close(ends[0]) }
        let process = try unsafe start(command, &files)
        close(ends[1])
        let output = readsOutput ? try BenchFile.text(ofDescriptor: ends[0]) : ""
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, 0) == process, status == 0 else {
            throw BenchFault("\(command.joined(separator: " ")) ended with \(status)")
        }
        return output
    }

    /// Starts a command with these files.
    static func start(
        _ command: [String], _ files: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        // Safe because the copies live until the process is started, and are freed then.
        var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe arguments.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } }
        }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, command[0], &files, nil, &arguments, environ) == 0 else {
            throw BenchFault("cannot start \(command[0])")
        }
        return process
    }

    /// The time that a command takes from its start to its end.
    static func milliseconds(_ command: [String]) throws -> Double {
        let start = ContinuousClock.now
        try run(command)
        return Stopwatch.seconds(since: start) * 1e3
    }
}
