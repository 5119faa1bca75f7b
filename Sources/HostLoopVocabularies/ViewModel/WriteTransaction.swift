import Dispatch
import HostLoop
import Synchronization

/// The one transaction of all view models: a thread that is in it may enter again, others wait in order.
///
/// One for all, because with one for each model two threads that write across two of them in opposite order
/// would wait for each other. What was written becomes visible at the outermost end, and is told outside.
// Safe because `owner` is atomic, `line` is behind its lock, and `written` is touched only by the thread that
// owns the transaction; one owns it after another, ordered by the lock.
final class WriteTransaction: @unchecked Sendable {
    static let shared = WriteTransaction()

    private struct Line: Sendable {
        var depth = 0
        var waiting = FIFO<(thread: UInt, turn: DispatchSemaphore)>()
    }

    /// The thread that is in the transaction, or 0; written with the lock of `line` held.
    private let owner = Atomic<UInt>(0)
    private let line = Lock(Line())
    private var written: [any WrittenModel] = []

    /// Whether the calling thread is in the transaction.
    var isMine: Bool { owner.load(ordering: .relaxed) == currentThread() }

    /// Runs `body` within the transaction.
    func run(_ body: () -> Void) {
        enter()
        body()
        guard isOutermost else { return leave() }
        let models = written
        written = []
        let changed = models.filter { $0.apply() }
        leave()
        for model in changed { model.deliver() }
    }

    /// Notes a model that is written to for the first time in this transaction.
    func note(_ model: any WrittenModel) {
        written.append(model)
    }

    private var isOutermost: Bool { line.withLock { $0.depth == 1 } }

    private func enter() {
        let thread = currentThread()
        let turn = line.withLock { line -> DispatchSemaphore? in
            let holder = owner.load(ordering: .relaxed)
            guard holder != 0, holder != thread else {
                owner.store(thread, ordering: .relaxed)
                line.depth += 1
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            line.waiting.append((thread, turn))
            return turn
        }
        turn?.wait()
    }

    private func leave() {
        let turn = line.withLock { line -> DispatchSemaphore? in
            line.depth -= 1
            guard line.depth == 0 else { return nil }
            let next = line.waiting.popFirst()
            owner.store(next?.thread ?? 0, ordering: .relaxed)
            if next != nil { line.depth = 1 }
            return next?.turn
        }
        turn?.signal()
    }
}

/// A view model as the transaction sees it.
protocol WrittenModel: AnyObject {
    /// Makes what was written the state; false when that is equal to the state before.
    func apply() -> Bool
    /// Tells of it, outside the transaction.
    func deliver()
}
