import Foundation
import Sandbox
import Synchronization
import TestSupport
import Testing

/// An attempt whose process is observed, from its first call on.
final class Observed {
    private let process: SandboxedProcess
    private let observer: AccessObserver
    private let log = Log()
    private let end = DispatchSemaphore(value: 0)

    private final class Log: Sendable {
        let accesses = Mutex<[Access]>([])
        let observer = Mutex<AccessObserver?>(nil)
    }

    /// - Parameter last: the path with whose access the observation stops.
    init(
        _ attempts: Attempts, _ function: String, _ argument: String = "", _ policy: SandboxPolicy,
        _ socket: SocketPair, until last: String? = nil
    ) throws {
        process = try SandboxedProcess(
            attempts, function, argument, policy, descriptors: [9: socket.ends.other],
            options: ["--socket", "9"])
        socket.closeOther()
        let listener = try DescriptorPassing.receive(over: socket.ends.mine)
        var all = policy
        all.libraries.append(try Attempts.folder.get().root.path)
        let log = log
        observer = try AccessObserver(listener: listener, of: process.id, policy: all) { access in
            log.accesses.withLock { $0.append(access) }
            if access.path == last { log.observer.withLock { $0 }?.stop() }
        }
        log.observer.withLock { $0 = observer }
        let (running, end) = (observer, end)
        Thread {
            do { try running.run() } catch { Issue.record(error) }
            end.signal()
        }.start()
    }

    /// Waits for the end of the process, ends its children, and waits for the end of the observer.
    func outcome() throws -> SandboxedProcess.Outcome {
        let outcome = try process.outcome()
        kill(-process.id, SIGKILL)
        end.wait()
        log.observer.withLock { $0 = nil }
        return outcome
    }

    /// The accesses so far, each once, as texts such as `read /etc/passwd refused`.
    var accesses: [String] {
        var seen: Set<String> = []
        return log.accesses.withLock { $0 }.map {
            "\($0.kind) \($0.path) \($0.isAllowed ? "allowed" : "refused")"
        }.filter { seen.insert($0).inserted }
    }
}
