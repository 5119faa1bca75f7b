import Journal
import Synchronization

/// A journal in memory, with something to do before each append.
final class TestStore: JournalStore {
    let header = JournalHeader(id: String(repeating: "0", count: 32), app: "test", created: 0)
    private let onAppend: @Sendable (Chunk) throws(JournalError) -> Void
    private let content = Mutex<(chunks: [Chunk], snapshots: [Snapshot])>(([], []))

    init(onAppend: @escaping @Sendable (Chunk) throws(JournalError) -> Void = { _ in }) {
        self.onAppend = onAppend
    }

    var chunks: [Chunk] { content.withLock { $0.chunks } }

    func last() throws(JournalError) -> Chunk? { chunks.last }

    func append(_ chunk: Chunk) throws(JournalError) {
        try onAppend(chunk)
        content.withLock { $0.chunks.append(chunk) }
    }

    func read(from number: UInt64, _ body: (Chunk) throws(JournalError) -> Bool) throws(JournalError) {
        for chunk in chunks where chunk.number >= number {
            guard try body(chunk) else { return }
        }
    }

    func chunk(holding position: UInt64) throws(JournalError) -> UInt64 {
        chunks.first { $0.first >= position }.map { $0.number - 1 } ?? chunks.last?.number ?? 0
    }

    func chunk(committedAt time: Int64) throws(JournalError) -> UInt64 {
        chunks.first { $0.time >= time }.map { $0.number - 1 } ?? chunks.last?.number ?? 0
    }

    func put(_ snapshot: Snapshot) throws(JournalError) { content.withLock { $0.snapshots.append(snapshot) } }

    func snapshot(upTo number: UInt64, _ isGood: (Snapshot) -> Bool) throws(JournalError) -> Snapshot? {
        content.withLock { $0.snapshots }.last { $0.chunk.number <= number && isGood($0) }
    }

    func snapshots() throws(JournalError) -> [UInt64] {
        content.withLock { $0.snapshots.map(\.chunk.number) }
    }

    func prune(upTo number: UInt64) throws(JournalError) {
        content.withLock { content in
            content.chunks.removeAll { $0.number <= number }
            content.snapshots.removeAll { $0.chunk.number < number }
        }
    }

    func close() {}

    func size() throws(JournalError) -> JournalSize {
        content.withLock { content in
            var size = JournalSize()
            (size.chunks, size.first) = (content.chunks.count, content.chunks.first?.number ?? 0)
            return size
        }
    }
}
