import HostLoop

/// Arguments with memory for their calls that no run has, so that the calls of an effect that emits allocate
/// memory only at first. Used from any thread.
final class ArgumentPool: Sendable {
    private let tables = Lock<[ArgumentTable]>([])

    /// As many as a loop needs that begins a run before it learns of the end of the last.
    private static let most = 4

    func take() -> ArgumentTable? { tables.withLock { $0.popLast() } }

    func add(_ table: ArgumentTable) {
        tables.withLock { tables in
            if tables.count < Self.most { tables.append(table) }
        }
    }
}
