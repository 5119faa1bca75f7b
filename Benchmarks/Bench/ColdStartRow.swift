import Glibc

/// Row T1: a whole run of examples/levels as a process against an empty Swift program that links Foundation.
struct ColdStartRow {
    /// `spinhost` and the empty program.
    let program: String
    let empty: String
    let manifest: String

    func measure(rounds: Int) throws -> Row {
        let samples = try Row.sampling(
            rounds: rounds, figure: { try milliseconds([program, "--manifest", manifest]) },
            reference: { try milliseconds([empty]) })
        return Row(
            name: "T1", title: "cold start: examples/levels, whole process",
            referenceTitle: "empty Swift program with Foundation", unit: "ms", moreIsBetter: false, reach: 3, then: 1.5,
            samples: samples)
    }

    private func milliseconds(_ command: [String]) throws -> Double {
        let start = ContinuousClock.now
        var process: pid_t = 0
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_WRONLY, 0)
        }
        // Safe because the copies live until the process is started, and are freed then.
        var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } } }
        guard unsafe posix_spawn(&process, command[0], &files, nil, &arguments, environ) == 0 else {
            throw BenchFault("cannot start \(command[0])")
        }
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, 0) == process, status == 0 else {
            throw BenchFault("\(command.joined(separator: " ")) ended with \(status)")
        }
        return Stopwatch.seconds(since: start) * 1e3
    }
}
