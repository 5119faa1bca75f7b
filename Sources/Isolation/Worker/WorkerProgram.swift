import Glibc
import HostLoop
import PluginHost
import Records
import Sandbox

/// What the program does under the hidden verb of workers.
public enum WorkerProgram {
    /// The descriptor of the shared memory.
    static let memory: Int32 = 3
    /// The descriptor of the socket over which it sends the listener of its observed calls.
    static let socket: Int32 = 4

    /// Serves the host that has started this process, and never returns. No other thread may run yet.
    public static func run() -> Never {
        let shared: SharedMemory
        do throws(PluginError) { shared = try SharedMemory(mapping: FileDescriptor(memory)) } catch {
            StandardPlace.complain("`\(WorkerSetup.verb)` is for spinhost itself: it serves another process")
            exit(EXIT_FAILURE)
        }
        CrashHandlers.areInWorker()
        let server = WorkerServer(shared, rounds: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? 600 : 0)
        var outcome = Result<[String], PluginError>.success([])
        server.begin { message throws(DamagedBytes) in
            let host = try message.number()
            let policy = try SandboxPolicy(&message)
            do throws(SandboxError) {
                let applied = try policy.apply(
                    keeping: [0, 1, 2, socket], parent: Int32(truncatingIfNeeded: host))
                try applied.handOver(through: socket)
                outcome = .success(applied.skipped)
            } catch { outcome = .failure(PluginError(.workerNotStarted, error.description)) }
            close(socket)
        }
        server.link.reply(0) { body throws(PluginError) in
            let skipped = try outcome.get()
            body.put(count: skipped.count)
            for rule in skipped { body.put(rule) }
        }
        server.run()
    }
}
