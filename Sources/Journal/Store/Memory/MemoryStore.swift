import Synchronization

/// A journal in memory, for tests, with faults on demand. It ends with the object.
///
/// It keeps the rules of a store of files: after a failed write, all later writes throw `.notDurable`. It may be
/// used from any thread.
public final class MemoryStore: JournalStore {
    public let header: JournalHeader
    private let state: Mutex<State>

    /// What the journal contains, and the faults to come.
    struct State {
        var chunks: [Chunk] = []
        var snapshots: [Snapshot] = []
        var faults: [Fault] = []
        /// Whether a write has failed.
        var hasEnded = false
    }

    /// An empty journal.
    public convenience init(header: JournalHeader) { self.init(header: header, State()) }

    init(header: JournalHeader, _ state: State) {
        self.header = header
        self.state = Mutex(state)
    }

    public func last() throws(JournalError) -> Chunk? { withState { $0.chunks.last } }

    public func append(_ chunk: Chunk) throws(JournalError) {
        try write(.append) { state throws(JournalError) in
            guard chunk.number == (state.chunks.last?.number ?? 0) &+ 1 else {
                throw JournalError(.notNext, "chunk \(chunk.number) does not follow the newest chunk")
            }
            state.chunks.append(chunk)
        }
    }

    public func read(
        from number: UInt64, _ body: (Chunk) throws(JournalError) -> Bool
    ) throws(JournalError) {
        var next = number
        // The body may use the store, so no lock is held meanwhile.
        while let chunk = withState({ state in
            state.index(from: next).map { state.chunks[$0] }
        }) {
            guard try body(chunk) else { return }
            next = chunk.number &+ 1
        }
    }

    public func chunk(holding position: UInt64) throws(JournalError) -> UInt64 {
        withState { state in
            guard let last = state.chunks.last else { return 0 }
            return state.chunks.first { $0.first >= position }.map { $0.number - 1 } ?? last.number
        }
    }

    public func chunk(committedAt time: Int64) throws(JournalError) -> UInt64 {
        withState { state in
            state.chunks.first { $0.time >= time }.map { $0.number - 1 } ?? state.chunks.last?.number ?? 0
        }
    }

    public func put(_ snapshot: Snapshot) throws(JournalError) {
        try write(.put) { state throws(JournalError) in
            state.snapshots.removeAll { $0.chunk.number == snapshot.chunk.number }
            let place = state.snapshots.firstIndex { $0.chunk.number > snapshot.chunk.number }
            state.snapshots.insert(snapshot, at: place ?? state.snapshots.count)
        }
    }

    public func snapshot(
        upTo number: UInt64, _ isGood: (Snapshot) -> Bool
    ) throws(JournalError) -> Snapshot? {
        withState { $0.snapshots }.last { $0.chunk.number <= number && isGood($0) }
    }

    public func snapshots() throws(JournalError) -> [UInt64] {
        withState { $0.snapshots.map(\.chunk.number) }
    }

    public func prune(upTo number: UInt64) throws(JournalError) {
        try write(.prune) { state throws(JournalError) in
            let newest = state.chunks.last?.number ?? 0
            state.chunks.removeAll { $0.number <= number && $0.number < newest }
            state.snapshots.removeAll { $0.chunk.number < number }
        }
    }

    public func size() throws(JournalError) -> JournalSize {
        withState { state in
            var size = JournalSize()
            (size.chunks, size.snapshots) = (state.chunks.count, state.snapshots.count)
            size.chunkBytes = state.chunks.reduce(0) { $0 + $1.bytes.count }
            size.snapshotBytes = state.snapshots.reduce(0) { $0 + $1.bytes.count }
            size.first = state.chunks.first?.number ?? 0
            return size
        }
    }

    /// Does nothing: another process of a test may open the same memory.
    public func close() {}

    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in body(&state) }
    }

    private func write(
        _ write: Write, _ body: (inout State) throws(JournalError) -> Void
    ) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            if state.hasEnded { throw Self.end }
            let fault = state.nextFault(of: write)
            if fault != .before { try body(&state) }
            guard fault == nil else {
                state.hasEnded = true
                throw Self.end
            }
        }
    }

    private static let end = JournalError(
        .notDurable, "the journal could not be written: a fault was ordered")
}

extension MemoryStore.State {
    /// Where the first chunk from a number on is.
    fileprivate func index(from number: UInt64) -> Int? {
        guard let first = chunks.first?.number, let last = chunks.last?.number, number <= last else {
            return nil
        }
        return number <= first ? 0 : Int(number - first)
    }
}
