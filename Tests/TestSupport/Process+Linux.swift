public import Foundation

extension Process {
    /// The processes that any of its threads has started and that have not been waited for.
    public var children: [Int32] {
        let tasks = "/proc/\(processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.flatMap { thread in
            let children = try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)
            return (children ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// Runs the program with no signal blocked.
    ///
    /// Tests run on threads that block signals, and a program inherits that. Some programs would then never end at SIGTERM.
    public func runWithSignals() throws {
        var (none, before) = (sigset_t(), sigset_t())
        // Safe because the sets are locals.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
