@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting

/// The end of a flow. It has room for one value each time a test makes room.
// Safe because it adds locks only.
final class CrowdedSink<Value: Sendable>: FlowSink<Value>, @unchecked Sendable {
    private struct Contents: Sendable {
        var lines: [String] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var arrived = 0
        var isOver = false
        var whenOver: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Lock(Contents())

    init(clock: any LoopClock = ManualClock()) {
        super.init(scope: FlowScope(life: FlowLife(clock: clock)))
    }

    var lines: [String] { contents.withLock { $0.lines } }

    /// Makes room for the value that has waited longest.
    func makeRoom() {
        contents.withLock { $0.waiting.removeFirst() }.resume()
    }

    /// Waits until, in total, `count` values have begun to wait.
    func arrived(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = contents.withLock { contents in
                if contents.arrived < count { contents.watchers.append((count, continuation)) }
                return contents.arrived >= count
            }
            if isMet { continuation.resume() }
        }
    }

    /// Waits until the flow has completed.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = contents.withLock { contents in
                if !contents.isOver { contents.whenOver.append(continuation) }
                return contents.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    override func receive(_ value: Value) -> EmitResult {
        contents.withLock { $0.lines.append("\(value)") }
        return .queued
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        await withCheckedContinuation { continuation in
            let met = contents.withLock { contents in
                contents.waiting.append(continuation)
                contents.arrived += 1
                let met = contents.watchers.filter { $0.count <= contents.arrived }
                contents.watchers.removeAll { $0.count <= contents.arrived }
                return met.map(\.1)
            }
            for watcher in met { watcher.resume() }
        }
        return receive(value)
    }

    override func complete(_ error: (any Error)?) {
        let met = contents.withLock { contents in
            contents.lines.append(error.map { "failed: \($0)" } ?? "finished")
            contents.isOver = true
            defer { contents.whenOver = [] }
            return contents.whenOver
        }
        scope.cancel()
        for watcher in met { watcher.resume() }
    }
}
