@testable import Journal
import Records

/// Writes a journal entry by entry, as the loops of one process do.
final class TestJournal {
    let store = TestStore()
    private(set) var schema: AppSchema
    private(set) var encoders: [LoopEncoder] = []
    private let bytes = ByteWriter()
    private var count = 0
    private var last: Chunk?

    /// Begins with an epoch.
    init(_ schema: AppSchema, time: Int64 = 0) {
        self.schema = schema
        begin(schema, time: time)
    }

    /// The position of the last entry.
    var position: UInt64 { (last?.next ?? 1) - 1 + UInt64(count) }

    /// Begins an epoch.
    func begin(_ schema: AppSchema, time: Int64, latest: [[UInt64]]? = nil) {
        self.schema = schema
        encoders = schema.loops.enumerated().map { index, loop in
            LoopEncoder(loop, index: index, latest: latest?[index] ?? loop.feedbacks.map { _ in 0 })
        }
        write { $0.put(.test(time: time, schema)) }
    }

    /// Writes entries that depend on no other.
    func write(count: Int = 1, _ body: (ByteWriter) -> Void) {
        body(bytes)
        self.count += count
    }

    /// Writes entries of a loop.
    func loop(_ index: Int, count: Int, _ body: (LoopEncoder) -> Void) {
        let encoder = encoders[index]
        body(encoder)
        unsafe encoder.bytes.withBytes { unsafe bytes.put(raw: $0) }
        encoder.bytes.removeAll()
        self.count += count
    }

    /// Writes notes of a loop.
    func note(_ index: Int, _ body: (LoopEncoder) -> Void) { loop(index, count: 0, body) }

    /// Ends the chunk.
    func commit() throws {
        guard bytes.count > 0 else { return }
        let chunk = Chunk(after: last, count: count, time: 0, bytes: bytes.bytes)
        try store.append(chunk)
        (last, count) = (chunk, 0)
        bytes.removeAll()
    }

    /// What all of the journal says.
    func state() throws -> JournalState {
        try commit()
        let point = try JournalReader(store).end()
        if let damage = point.damage { throw damage }
        return point.state
    }
}

extension Epoch {
    static func test(time: Int64, _ schema: AppSchema) -> Epoch {
        Epoch(
            time: time, host: "1.0", process: 7, manifest: "app.toml",
            plugins: [Plugin(name: "count", version: "1.0.0", hash: "00ff")], schema: schema)
    }
}
