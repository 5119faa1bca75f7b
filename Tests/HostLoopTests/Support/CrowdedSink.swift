@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting

/// The end of a flow that has room for one value at a time, when a test says so.
// Safe because it adds locks only.
final class CrowdedSink<Value: Sendable>: FlowSink<Value>, @unchecked Sendable {
    private struct Book: Sendable {
        var lines: [String] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var arrived = 0
        var isOver = false
        var whenOver: [CheckedContinuation<Void, Never>] = []
    }

    private let book = Lock(Book())

    init(clock: any LoopClock = ManualClock()) {
        super.init(scope: FlowScope(life: FlowLife(clock: clock)))
    }

    var lines: [String] { book.withLock { $0.lines } }

    /// Makes room for the value that has waited longest.
    func makeRoom() {
        book.withLock { $0.waiting.removeFirst() }.resume()
    }

    /// Waits until `count` values have come to wait, ever.
    func arrived(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = book.withLock { book in
                if book.arrived < count { book.watchers.append((count, continuation)) }
                return book.arrived >= count
            }
            if isMet { continuation.resume() }
        }
    }

    /// Waits until the flow has completed.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = book.withLock { book in
                if !book.isOver { book.whenOver.append(continuation) }
                return book.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    override func receive(_ value: Value) -> EmitResult {
        book.withLock { $0.lines.append("\(value)") }
        return .queued
    }

    override func receiveWhenRoom(_ value: Value) async -> EmitResult {
        await withCheckedContinuation { continuation in
            let met = book.withLock { book in
                book.waiting.append(continuation)
                book.arrived += 1
                let met = book.watchers.filter { $0.count <= book.arrived }
                book.watchers.removeAll { $0.count <= book.arrived }
                return met.map(\.1)
            }
            for watcher in met { watcher.resume() }
        }
        return receive(value)
    }

    override func complete(_ error: (any Error)?) {
        let met = book.withLock { book in
            book.lines.append(error.map { "failed: \($0)" } ?? "finished")
            book.isOver = true
            defer { book.whenOver = [] }
            return book.whenOver
        }
        scope.cancel()
        for watcher in met { watcher.resume() }
    }
}
