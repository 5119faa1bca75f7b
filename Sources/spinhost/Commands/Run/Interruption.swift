import Dispatch
import Glibc
import Synchronization
import UnixSignals

/// Whether a command was interrupted. May be used from any thread.
final class Interruption: Sendable {
    private let flag = Atomic<Bool>(false)

    var happened: Bool { flag.load(ordering: .relaxed) }

    /// Notes that it is now; true for the first time.
    func isFirst() -> Bool { !flag.exchange(true, ordering: .relaxed) }

    /// Runs work that blocks, on a thread of its own. The first SIGINT or SIGTERM interrupts it, and the second ends
    /// the process at once. From now on a closed pipe is an error of a write.
    ///
    /// - Parameters:
    ///   - label: the name of the thread.
    ///   - interrupt: called at the first signal.
    static func ends(
        _ label: String, interrupt: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable (Interruption) throws -> Void
    ) async throws {
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let interruption = Interruption()
        let watcher = Task {
            for await signal in signals {
                if interruption.isFirst() { interrupt() } else { _exit(128 + signal.rawValue) }
            }
        }
        defer { watcher.cancel() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: label).async {
                continuation.resume(with: Result { try work(interruption) })
            }
        }
    }
}
