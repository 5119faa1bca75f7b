@testable import Journal
import Records
import Testing
import TestSupport

/// Places in a journal: steps, times, and the last change of a field.
struct SearchTests {
    private static let state = RecordType([("n", .integer(.i64)), ("tens", .integer(.i64))])

    /// A journal of 100 steps of one loop, four in each chunk, at the times 1 to 100. `tens` changes with each tenth.
    private func journal(isSnapshotted: Bool) throws -> MemoryStore {
        let schema = AppSchema(
            loops: [
                LoopSchema(
                    name: "main", state: Self.state, events: [NamedType("tick", RecordType([]))],
                    feedbacks: [], receives: [])
            ], gears: [])
        let journal = TestJournal(schema)
        var record = Record(Self.state)
        journal.loop(0, count: 1) { $0.started(record, step: 0, time: 0) }
        let store = MemoryStore(header: JournalHeader(id: "", app: "app", created: 0))
        var last: Chunk?
        for number in Int64(1)...100 {
            try record.set("n", to: .int(number))
            try record.set("tens", to: .int(number / 10))
            journal.loop(0, count: 1) {
                $0.step(
                    event: 0, Record(RecordType([])), feedback: -1, run: 0, time: number, state: record,
                    entered: false)
            }
            guard number % 4 == 0 else { continue }
            try journal.commit()
            let chunk = try #require(journal.store.chunks.last)
            last = Chunk(after: last, count: chunk.count, time: number, bytes: chunk.bytes)
            try store.append(last!)
        }
        if isSnapshotted {
            let point = try JournalReader(store).start()
            try Snapshotter(after: point, every: 64, keeping: .all, now: { 0 }, open: { store }).finish(store)
        }
        return store
    }

    @Test(arguments: [false, true])
    func `each step, time and change is found, with and without snapshots`(_ isSnapshotted: Bool) throws {
        let reader = JournalReader(try journal(isSnapshotted: isSnapshotted))
        for step in UInt64(0)...100 {
            // The epoch has the first position, and the start the second one.
            #expect(try reader.position(ofStep: step, of: "main") == step + 2)
            #expect(try reader.position(ofStep: step, of: nil) == step + 2)
            #expect(try reader.position(at: Int64(step)) == (step == 0 ? 1 : step + 2))
            let changed = try reader.lastChange(in: "main", upTo: step + 2) { $0["tens"] }
            #expect(changed == (step < 10 ? 2 : step / 10 * 10 + 2))
        }
        #expect(try reader.position(ofStep: 101, of: "main") == nil)
        #expect(try reader.position(ofStep: 5, of: "other") == nil)
        #expect(try reader.position(at: 101) == nil)
        #expect(try reader.lastChange(in: "other", upTo: 50) { $0["n"] } == nil)
    }

    @Test func `a pruned journal has its first state, and nothing before it`() throws {
        let store = try journal(isSnapshotted: true)
        let number = try #require(try store.snapshots().dropFirst().first)
        let end = try #require(try store.snapshot(upTo: number) { _ in true }).chunk.next - 1
        try store.prune(upTo: number)
        let reader = JournalReader(store)
        #expect(try reader.start().state.next == end + 1)
        #expect(try reader.position(ofStep: end - 2, of: "main") == end)
        #expect(try reader.position(ofStep: end - 3, of: "main") == nil)
        #expect(try reader.position(ofStep: 100, of: "main") == 102)
        let point = try reader.point(upTo: end)
        #expect(point.damage == nil && point.state.loops[0].step == end - 2)
        #expect(try reader.position(at: 0) == end + 1)
        #expect(try reader.lastChange(in: "main", upTo: 102) { $0["tens"] } == 102)
        #expect(try reader.lastChange(in: "main", upTo: 102) { $0["none"] } == nil)
    }

    /// So many steps that a search passes points in between.
    @Test func `a search that follows another one finds the same`() throws {
        let schema = AppSchema(
            loops: [
                LoopSchema(
                    name: "main", state: RecordType([("text", .string)]),
                    events: [NamedType("said", RecordType([]))], feedbacks: [], receives: [])
            ], gears: [])
        let journal = TestJournal(schema)
        var record = Record(schema.loops[0].state)
        journal.loop(0, count: 1) { $0.started(record, step: 0, time: 0) }
        for number in 1...100 {
            let text = String(repeating: String(number % 10), count: 50_000)
            try record.set("text", to: .string(text))
            journal.loop(0, count: 1) {
                $0.step(
                    event: 0, Record(RecordType([])), feedback: -1, run: 0, time: Int64(number),
                    state: record, entered: false)
            }
            try journal.commit()
        }
        let reader = JournalReader(journal.store)
        for step in [UInt64(99), 98, 40, 100, 3, 70] {
            #expect(try reader.position(ofStep: step, of: "main") == step + 2)
            #expect(try reader.lastChange(in: "main", upTo: step + 2) { $0["text"] } == step + 2)
            let state = try reader.point(upTo: step + 2).state
            #expect(state.loops[0].step == step && state.next == step + 3)
        }
        #expect(try reader.lastChange(in: "main", upTo: 102) { $0["none"] } == 2)
        #expect(try reader.end().state.loops[0].step == 100)
    }

    @Test func `damage before a place is an error, and damage after it is none`() throws {
        let whole = try journal(isSnapshotted: false)
        let store = MemoryStore(header: whole.header)
        try whole.read(from: 1) { chunk throws(JournalError) in
            let isDamaged = chunk.number == 10
            try store.append(
                isDamaged
                    ? Chunk(
                        number: 10, first: chunk.first, count: chunk.count, time: chunk.time, checksum: 0,
                        bytes: chunk.bytes) : chunk)
            return true
        }
        let reader = JournalReader(store)
        #expect(try reader.position(ofStep: 36, of: "main") == 38)
        #expect(throws: JournalError.self) { try reader.position(ofStep: 37, of: "main") }
        #expect(throws: JournalError.self) { try reader.position(at: 50) }
    }
}
