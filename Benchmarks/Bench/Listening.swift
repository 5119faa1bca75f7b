import Glibc

/// A running program. Its standard error output is read line by line.
final class Listening {
    private let process: pid_t
    private let errors: Int32
    private var rest: [UInt8] = []

    /// Starts the program.
    init(_ command: [String]) throws {
        var ends: [Int32] = [-1, -1]
        // Safe because the array has room for both ends.
        guard unsafe pipe(&ends) == 0 else { throw BenchFault("cannot make a pipe") }
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        unsafe posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO)
        unsafe posix_spawn_file_actions_addclose(&files, ends[0])
        unsafe posix_spawn_file_actions_addclose(&files, ends[1])
        process = try unsafe Program.start(command, &files)
        close(ends[1])
        errors = ends[0]
    }

    /// Reads until a line with this beginning.
    func wait(for beginning: String) throws { _ = try line(after: beginning) }

    /// The same, and returns what follows the beginning.
    func line(after beginning: String) throws -> String {
        while true {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            // Safe because the count is the array's own.
            let count = unsafe read(errors, &piece, piece.count)
            guard count > 0 else { throw BenchFault("the program ended before it said `\(beginning)`") }
            rest += piece.prefix(count)
        }
    }

    /// Ends the program, and waits for its end.
    func end() {
        kill(process, SIGTERM)
        var status: Int32 = 0
        // Safe because the status is a local, which the call writes.
        _ = unsafe waitpid(process, &status, 0)
        close(errors)
    }
}
