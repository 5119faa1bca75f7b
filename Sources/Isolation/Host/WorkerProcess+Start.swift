import CLinux
import Glibc
import PluginHost

// The start of a process.
extension WorkerProcess {
    /// Starts the program of a worker.
    ///
    /// - Parameters:
    ///   - environment: its variables, each as `NAME=VALUE`.
    ///   - folder: its working folder; nil for the host's.
    ///   - memory, output, other: the descriptors that it gets.
    /// - Throws: `DiagnosticCode.workerNotStarted`.
    static func spawn(
        _ program: String, _ environment: [String], in folder: String?, memory: Int32, output: Int32,
        other: Int32
    ) throws(PluginError) -> pid_t {
        var process: pid_t = 0
        // Safe because the texts are NUL-terminated copies until they are freed, and null ends their lists. The calls
        // fill in local attributes and keep none of them.
        let words: [UnsafeMutablePointer<CChar>?] =
            unsafe [strdup(program), strdup(WorkerSetup.verb), nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var attributes = posix_spawnattr_t()
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawnattr_init(&attributes) == 0,
            unsafe posix_spawn_file_actions_init(&actions) == 0
        else {
            throw .notStarted(SystemError.last.text)
        }
        defer {
            unsafe posix_spawnattr_destroy(&attributes)
            unsafe posix_spawn_file_actions_destroy(&actions)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        unsafe posix_spawn_file_actions_adddup2(&actions, memory, WorkerProgram.memory)
        unsafe posix_spawn_file_actions_adddup2(&actions, other, WorkerProgram.other)
        // A group of its own: an interrupt at the terminal is for the host.
        var error = unsafe linux_lead_group(&attributes)
        if error == 0, let folder { error = unsafe linux_begin_in(&actions, folder) }
        if error == 0 { error = unsafe linux_close_from(&actions, WorkerProgram.other + 1) }
        guard error == 0 else { throw .notStarted(SystemError(number: error).text) }
        let answer = unsafe posix_spawn(&process, program, &actions, &attributes, words, variables)
        guard answer == 0 else {
            throw .notStarted("`\(program)`: \(SystemError(number: answer).text)")
        }
        return process
    }
}
