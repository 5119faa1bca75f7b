import Foundation
import Sandbox
import TestSupport

/// A `SandboxLauncher` that runs an attempt under a policy. The thread that makes it must live as long.
final class SandboxedProcess {
    static let program = Project.products.appendingPathComponent("SandboxLauncher").path

    struct Outcome: Equatable {
        /// The signal that has ended the process; 0 if it has exited.
        let signal: Int32
        /// The exit code.
        let status: Int32
        let output: String
        let errors: String

        /// What each attempt has come to, by its text.
        var results: [String: String] {
            Dictionary(output.split(separator: "\n").compactMap(Self.pair)) { $0 + " " + $1 }
        }

        private static func pair(_ line: Substring) -> (String, String)? {
            guard let range = line.range(of: ": ", options: .backwards) else { return nil }
            return (String(line[..<range.lowerBound]), String(line[range.upperBound...]))
        }
    }

    let id: pid_t
    private let scratch: TemporaryFolder

    /// - Parameters:
    ///   - descriptors: numbers in the child, and the descriptors of this process that they are.
    ///   - options: more words for the launcher.
    init(
        _ attempts: Attempts, _ function: String, _ argument: String = "", _ policy: SandboxPolicy,
        descriptors: [Int32: Int32] = [:], options: [String] = [], output: Int32? = nil
    ) throws {
        var policy = policy
        policy.libraries.append(try Attempts.folder.get().root.path)
        let words =
            [Self.program] + Self.words(policy) + options + [try attempts.library(), function, argument]
        scratch = try TemporaryFolder()
        var actions = unsafe posix_spawn_file_actions_t()
        // Safe because the actions, the arguments and the number live until the call returns, here and below.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        for (number, name) in [(Int32(1), "out"), (2, "err")] {
            let path = scratch.url(name).path
            unsafe posix_spawn_file_actions_addopen(
                &actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        if let output { unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
        for (number, own) in descriptors.sorted(by: { $0.key < $1.key }) {
            unsafe posix_spawn_file_actions_adddup2(&actions, own, number)
        }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child = pid_t()
        let error = unsafe posix_spawn(&child, Self.program, &actions, nil, &arguments, environ)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        id = child
    }

    /// Waits for its end.
    func outcome() throws -> Outcome {
        var status: Int32 = 0
        // Safe because `status` is a local.
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        let text = { (name: String) throws in
            try String(contentsOf: self.scratch.url(name), encoding: .utf8)
        }
        return Outcome(
            signal: status & 0x7f, status: (status >> 8) & 0xff, output: try text("out"),
            errors: try text("err"))
    }

    /// The outcome of an attempt under a policy.
    static func run(
        _ attempts: Attempts, _ function: String, _ argument: String = "",
        _ policy: SandboxPolicy = SandboxPolicy(),
        descriptors: [Int32: Int32] = [:], options: [String] = []
    ) throws -> Outcome {
        let keep = descriptors.keys.flatMap { ["--keep", "\($0)"] }
        return try SandboxedProcess(
            attempts, function, argument, policy, descriptors: descriptors, options: keep + options
        ).outcome()
    }

    private static func words(_ policy: SandboxPolicy) -> [String] {
        var words: [String] = []
        func add(_ option: String, _ values: [String]) {
            words += values.flatMap { ["--\(option)", $0] }
        }
        add("read", policy.read)
        add("write", policy.write)
        add("exec", policy.exec)
        add("library", policy.libraries)
        add("connect", policy.connect.map(\.description))
        add("listen", policy.listen.map { "\($0)" })
        add("scratch", [policy.scratch].compactMap { $0 })
        add("memory", [policy.memory].compactMap { $0 }.map(String.init))
        add("files", [policy.files].compactMap { $0 }.map(String.init))
        add("processes", policy.processes == 0 ? [] : ["\(policy.processes)"])
        add("sees-processes", policy.seesOtherProcesses ? ["yes"] : [])
        add("observation", policy.observation == .off ? [] : ["\(policy.observation)"])
        return words
    }
}
