import Dispatch

/// A thread that is blocked until a bounded mailbox has room for what it emits.
///
/// Answered once: by the mailbox, which keeps the entry meanwhile.
@usableFromInline
final class RoomWait: Sendable {
    private struct Answer: Sendable {
        var result: EmitResult?
        /// Asks the mailbox to give the wait up.
        var giveUp: (@Sendable (EmitResult) -> Void)?
    }

    private let answer = Lock(Answer())
    private let isSettled = DispatchSemaphore(value: 0)

    /// The mailbox keeps the entry, and is asked to give up through `giveUp`, which may come too late.
    func begin(giveUp: @escaping @Sendable (EmitResult) -> Void) {
        answer.withLock { $0.giveUp = giveUp }
    }

    /// The mailbox answers.
    func settle(_ result: EmitResult) {
        answer.withLock { $0.result = result }
        isSettled.signal()
    }

    /// Ends the wait with `result`, unless it is answered already.
    func giveUp(_ result: EmitResult) {
        answer.withLock { $0.giveUp }?(result)
    }

    /// Blocks the calling thread until the answer is there.
    func wait() -> EmitResult {
        isSettled.wait()
        return answer.withLock { answer in
            answer.giveUp = nil
            return answer.result ?? .stopped
        }
    }
}
