import Dispatch

/// The future answer to an entry that waits for room in a bounded mailbox. A task or a thread waits for it.
///
/// The mailbox keeps the entry meanwhile. The first answer counts; a later one has no effect.
@usableFromInline
package final class RoomTicket: Sendable {
    private enum Phase: Sendable {
        case open
        case awaited(CheckedContinuation<EmitResult, Never>)
        case answered(EmitResult)
    }

    private struct Wait: Sendable {
        var phase = Phase.open
        /// Asks the mailbox for an answer before there is room. The mailbox may have answered already.
        var giveUp: (@Sendable (EmitResult) -> Void)?
        /// What a thread blocks on. Most entries never wait, so it is made when one does.
        var isAnswered: DispatchSemaphore?
    }

    // All tickets share a lock. Each entry of a thread that may block has a ticket, and few of them ever wait.
    private static let lock = Lock(())
    // Safe because each use holds the lock.
    private nonisolated(unsafe) var wait = Wait()
    /// Whether a thread blocks until the answer.
    @usableFromInline let isBlocking: Bool

    /// Makes a ticket for a task, or for a thread that blocks.
    @usableFromInline
    package init(blocking: Bool = false) {
        isBlocking = blocking
    }

    private func withWait<Result: Sendable>(_ body: (inout Wait) -> Result) -> Result {
        Self.lock.withLock { _ in unsafe body(&wait) }
    }

    /// Notes that a mailbox keeps the entry.
    @usableFromInline
    func begin(giveUp: @escaping @Sendable (EmitResult) -> Void) {
        withWait { wait in
            if case .answered = wait.phase { return }
            wait.giveUp = giveUp
            if isBlocking { wait.isAnswered = DispatchSemaphore(value: 0) }
        }
    }

    /// Answers the ticket, unless it has an answer.
    package func answer(_ result: EmitResult) {
        let (continuation, giveUp) = withWait {
            wait -> (CheckedContinuation<EmitResult, Never>?, (@Sendable (EmitResult) -> Void)?) in
            let giveUp = wait.giveUp.take()
            switch wait.phase {
            case .open:
                wait.phase = .answered(result)
                wait.isAnswered?.signal()
                return (nil, giveUp)
            case .awaited(let continuation):
                wait.phase = .answered(result)
                return (continuation, giveUp)
            case .answered: return (nil, giveUp)
            }
        }
        continuation?.resume(returning: result)
        // The values that the mailbox's closure keeps are released outside the lock.
        withExtendedLifetime(giveUp) {}
    }

    /// Asks the mailbox to answer `result` now, unless it has answered.
    func giveUp(_ result: EmitResult) {
        withWait { $0.giveUp }?(result)
    }

    /// Suspends until the answer. The mailbox answers `.cancelled` when the task is cancelled first.
    package nonisolated(nonsending) func value() async -> EmitResult {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = withWait { wait -> EmitResult? in
                    if case .answered(let result) = wait.phase { return result }
                    wait.phase = .awaited(continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(.cancelled)
        }
    }

    /// Blocks the calling thread until the answer.
    func block() -> EmitResult {
        withWait(\.isAnswered)?.wait()
        return withWait { wait in
            if case .answered(let result) = wait.phase { return result }
            return .stopped
        }
    }
}
