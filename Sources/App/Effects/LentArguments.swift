import HostLoop

/// Arguments of a call that a run keeps until it ends: they go on to a later run then.
struct LentArguments: Sendable {
    let table: ArgumentTable
    private let spares: SpareArguments?

    /// - Parameter spares: where they go to; nil: they are for one run.
    init(_ table: ArgumentTable, to spares: SpareArguments?) {
        (self.table, self.spares) = (table, spares)
    }

    /// Nobody reads them any more.
    func giveBack() { spares?.add(table) }
}

/// Arguments with memory for their call that no run has: those of an effect whose runs go on after they began are made for the
/// first few runs only. Used from any thread.
final class SpareArguments: Sendable {
    private let tables = Lock<[ArgumentTable]>([])

    /// As many as a loop needs that begins a run before it hears of the end of the one before.
    private static let most = 4

    func take() -> ArgumentTable? { tables.withLock { $0.popLast() } }

    func add(_ table: ArgumentTable) {
        tables.withLock { tables in
            if tables.count < Self.most { tables.append(table) }
        }
    }
}
