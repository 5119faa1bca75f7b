import Glibc
import HostLoop
public import PluginHost
import Records
import Sandbox

/// What the program does under the hidden verb of workers.
public enum WorkerProgram {
    /// The descriptor of the shared memory.
    static let memory: Int32 = 3
    /// The descriptor of the socket over which it sends the listener of its observed calls; that of the file with its
    /// input for a worker that does some work.
    static let other: Int32 = 4

    /// Serves the host that has started this process, and never returns. No other thread may run yet.
    ///
    /// - Parameter work: does what the process is for if it is not to serve plugins.
    public static func run(_ work: WorkerTask.Work) -> Never {
        let shared: SharedMemory
        do throws(PluginError) { shared = try SharedMemory(mapping: FileDescriptor(memory)) } catch {
            StandardPlace.complain("`\(WorkerSetup.verb)` is for spinhost itself: it serves another process")
            exit(EXIT_FAILURE)
        }
        CrashHandlers.areInWorker()
        // The system tells it in files that the rules of a plugin close.
        _ = MessageReader.rounds
        let server = WorkerServer(shared)
        var outcome = Result<[String], PluginError>.success([])
        var doesWork = false
        server.begin { message throws(DamagedBytes) in
            let host = Int32(truncatingIfNeeded: try message.number())
            doesWork = try message.byte() == 0
            let policy = doesWork ? nil : try SandboxPolicy(&message)
            do throws(SandboxError) {
                if let applied = try policy?.apply(keeping: [0, 1, 2, other], parent: host) {
                    try applied.handOver(through: other)
                    outcome = .success(applied.skipped)
                } else {
                    try SandboxPolicy.follow(host)
                }
            } catch { outcome = .failure(PluginError(.workerNotStarted, error.description)) }
        }
        let input = doesWork ? read(other) : []
        close(other)
        server.link.reply(0) { body throws(PluginError) in
            let skipped = try outcome.get()
            body.put(count: skipped.count)
            for rule in skipped { body.put(rule) }
        }
        guard doesWork else { server.run() }
        server.link.reply(1) { body throws(PluginError) in
            let result = try work(input) { text in server.link.send(.progress) { $0.put(text) } }
            // Safe because the bytes are copied.
            unsafe result.withUnsafeBytes { unsafe body.put(raw: $0) }
        }
        exit(EXIT_SUCCESS)
    }

    /// All bytes of a file in memory.
    private static func read(_ file: Int32) -> [UInt8] {
        var status = stat()
        // Safe because `status` is a local.
        guard unsafe fstat(file, &status) == 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { room, count in
            // Safe because the call gets the room that there is.
            while count < room.count,
                case let more = unsafe pread(file, room.baseAddress! + count, room.count - count, count),
                more > 0
            {
                count += more
            }
        }
    }
}
