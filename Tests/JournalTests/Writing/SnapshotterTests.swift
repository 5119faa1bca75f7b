@testable import Journal
import Records
import Testing

/// Snapshots of a journal that is written, and what is left of it.
struct SnapshotterTests {
    private static let state = RecordType([("n", .integer(.i64))])

    /// A journal of 100 chunks with a step each.
    private func journal() throws -> MemoryStore {
        let schema = AppSchema(
            loops: [
                LoopSchema(
                    name: "main", state: Self.state, events: [NamedType("tick", RecordType([]))],
                    feedbacks: [],
                    receives: [])
            ], gears: [])
        let journal = TestJournal(schema)
        var record = Record(Self.state)
        journal.loop(0, count: 1) { $0.started(record, step: 0, time: 0) }
        for number in 1...100 {
            try record.set("n", to: .int(Int64(number)))
            journal.loop(0, count: 1) {
                $0.step(
                    event: 0, Record(RecordType([])), feedback: -1, run: 0, time: Int64(number),
                    state: record,
                    entered: false)
            }
            try journal.commit()
        }
        let store = MemoryStore(header: JournalHeader(id: "", app: "app", created: 0))
        try journal.store.read(from: 1) { chunk throws(JournalError) in
            try store.append(chunk)
            return true
        }
        return store
    }

    private func finish(_ store: MemoryStore, keeping retention: Snapshotter.Retention) throws {
        try Snapshotter(
            after: JournalReader.Point(), every: 64, keeping: retention, now: { 0 }, open: { store }
        ).finish(store)
    }

    @Test func `snapshots lie at each size of entries and at the end, and say what is there`() throws {
        let store = try journal()
        try finish(store, keeping: .all)
        let numbers = try store.snapshots()
        #expect(numbers.count > 5 && numbers.last == 100)
        for number in numbers {
            let snapshot = try #require(try store.snapshot(upTo: number) { _ in true })
            let state = try JournalState(decoding: snapshot.bytes)
            #expect(state.loops[0].step == number && state.loops[0].state["n"] == .int(Int64(number)))
        }
        #expect(try JournalReader(store).end().chunks == 0)
        #expect(try store.size().first == 1)
    }

    @Test func `what lies before enough steps is removed, and what stays can be read`() throws {
        let store = try journal()
        try finish(store, keeping: .steps(30))
        let first = try store.size().first
        #expect(first > 40 && first <= 71)
        #expect(try store.snapshots().count >= 2)
        let all = try JournalReader(store).all()
        #expect(all.damage == nil && all.state.loops[0].step == 100 && all.chunks == 101 - Int(first))
    }

    @Test(arguments: [Snapshotter.Retention.bytes(1), .steps(0), .age(.zero)])
    func `the newest two snapshots stay, however little is to be kept`(_ retention: Snapshotter.Retention)
        throws
    {
        let store = try journal()
        try Snapshotter(
            after: JournalReader.Point(), every: 64, keeping: retention, now: { 1 }, open: { store }
        ).finish(store)
        let numbers = try store.snapshots()
        #expect(numbers.count == 2)
        #expect(try store.size().first == numbers[0] + 1)
        #expect(try JournalReader(store).all().state.loops[0].step == 100)
    }

    @Test(
        arguments: [
            (Snapshotter.Retention.steps(30), 73), (.steps(1), 102), (.steps(102), nil), (.all, nil),
            (.bytes(1), 102), (.bytes(1 << 20), nil), (.age(.zero), 102), (.age(.seconds(1)), nil),
        ] as [(Snapshotter.Retention, UInt64?)])
    func `a journal at rest is cut at a chunk, and says the same`(
        _ retention: Snapshotter.Retention, _ first: UInt64?
    ) throws {
        let store = try journal()
        let before = try JournalReader(store).end().state
        #expect(try Snapshotter.cut(store, keeping: retention, now: 1) == first)
        let reader = JournalReader(store)
        for point in [try reader.all(), try reader.end()] {
            #expect(point.damage == nil && point.state.encoded() == before.encoded())
        }
        guard let first else {
            #expect(try store.size().first == 1)
            return
        }
        var positions: [UInt64] = []
        _ = try reader.all { placed, _ in positions.append(placed.position) }
        #expect(positions == Array(first..<103))
        #expect(try store.snapshots().count == 2)
        // Nothing more is to be removed.
        #expect(try Snapshotter.cut(store, keeping: retention, now: 1) == nil)
        // Older entries are not there, and no damage.
        #expect(try reader.point(upTo: 5).damage?.kind == .inaccessible)
        positions = []
        #expect(
            try reader.point(upTo: .max, from: 1) { placed, _ in positions.append(placed.position) }.damage
                == nil)
        #expect(positions == Array(first..<103))
    }
}
