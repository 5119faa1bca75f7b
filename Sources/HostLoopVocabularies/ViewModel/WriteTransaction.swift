import Dispatch
import HostLoop
import Synchronization

/// The one transaction of all view models. The thread that is in it may enter again; others wait in order.
///
/// There is one for all models. With one for each, two threads that write two models in opposite order would
/// wait for each other. The states become visible at the outermost end, and are delivered after it.
// Safe because `owner` is atomic, `line` is behind its lock, and only the thread that owns the transaction
// uses `written`. One thread owns it after another, ordered by the lock.
final class WriteTransaction: @unchecked Sendable {
    static let shared = WriteTransaction()

    private struct Line: Sendable {
        var depth = 0
        var waiting = FIFO<(thread: UInt, turn: DispatchSemaphore)>()
    }

    /// The thread that is in the transaction, or 0. A thread must hold the lock of `line` to write it.
    private let owner = Atomic<UInt>(0)
    private let line = Lock(Line())
    private var written: [any WrittenModel] = []

    /// Whether the calling thread is in the transaction.
    var isMine: Bool { owner.load(ordering: .relaxed) == currentThread() }

    /// Runs `body` within the transaction.
    func run(_ body: () -> Void) {
        enter()
        body()
        guard isOutermost else { return exit() }
        let models = written
        written = []
        let changed = models.filter { $0.apply() }
        exit()
        for model in changed { model.deliver() }
    }

    /// Registers a model with its first write in this transaction.
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

    private func exit() {
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

/// A view model, from the view of the transaction.
protocol WrittenModel: AnyObject {
    /// Makes the written state the state. Returns false when it equals the state before.
    func apply() -> Bool
    /// Delivers the state, outside the transaction.
    func deliver()
}
