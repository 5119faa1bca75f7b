@testable import Journal
import Records
import Testing
import TestSupport

/// Random journals: the fold says what a naive model says.
struct JournalStateTests {
    private static let seeds = UInt64(0)..<30

    @Test(arguments: seeds)
    func theEndAndEachVisitedEntry_areAsInTheModel(seed: UInt64) throws {
        let random = try RandomJournal(seed: seed, entries: 150)
        var positions: [UInt64] = []
        let point = try JournalReader(random.journal.store).all { placed, state in
            positions.append(placed.position)
            #expect(JournalModel(state).differences(from: random.atEntry[Int(placed.position)]).isEmpty)
        }
        #expect(point.damage == nil)
        #expect(positions == Array(1...random.journal.position))
        #expect(point.state.next == random.journal.position + 1)
        #expect(JournalModel(point.state).lines == random.model.lines)
    }

    @Test(arguments: seeds)
    func aSnapshotReadsAsItWasWritten(seed: UInt64) throws {
        for state in try RandomJournal(seed: seed, entries: 150).chunks {
            let read = try JournalState(decoding: state.encoded())
            #expect(JournalModel(read).lines == JournalModel(state).lines)
            #expect(read.encoded() == state.encoded())
            #expect((read.next, read.epochs) == (state.next, state.epochs))
            #expect(read.epoch == state.epoch)
        }
    }

    @Test(arguments: seeds)
    func eachPoint_isTheSameFromTheStartAndFromSnapshots(seed: UInt64) throws {
        let random = try RandomJournal(seed: seed, entries: 60)
        let store = random.journal.store
        let reader = JournalReader(store)
        func check() throws {
            for position in 1...random.journal.position {
                let point = try reader.point(upTo: position)
                #expect(point.damage == nil)
                #expect(point.state.next == position + 1)
                #expect(JournalModel(point.state).differences(from: random.afterNotes[Int(position)]).isEmpty)
            }
        }
        try check()
        for (index, state) in random.chunks.enumerated() where index % 2 == 1 {
            try store.put(Snapshot(after: store.chunks[index], bytes: state.encoded()))
        }
        try check()
        #expect(JournalModel(try reader.end().state).lines == random.model.lines)
        for start in 1...random.journal.position {
            var visited: [UInt64] = []
            _ = try reader.point(upTo: .max, from: start) { placed, _ in
                if placed.position >= start { visited.append(placed.position) }
            }
            #expect(visited == Array(start...random.journal.position))
        }
    }

    @Test func everyCutAndChangedByte_givesAStateOrDamage() throws {
        let random = try RandomJournal(seed: 4, entries: 40)
        let whole = random.chunks.last!.encoded()
        for end in whole.indices {
            #expect(throws: DamagedBytes.self) { try JournalState(decoding: Array(whole.prefix(end))) }
        }
        var (state, faults) = (JournalState(), 0)
        for chunk in random.journal.store.chunks {
            for index in chunk.bytes.indices {
                var bytes = chunk.bytes
                bytes[index] ^= UInt8(1 + index % 255)
                var changed = state
                let damaged = Chunk(
                    number: chunk.number, first: chunk.first, count: chunk.count, time: 0, checksum: 0,
                    bytes: bytes)
                do { _ = try changed.apply(damaged) } catch { faults += 1 }
                for loop in changed.loops { #expect(!loop.state.value.json.isEmpty) }
            }
            _ = try state.apply(chunk)
        }
        #expect(faults > 0)
    }

    @Test func aChunkWithAnotherNumberOfEntries_isDamaged() throws {
        let random = try RandomJournal(seed: 1, entries: 10)
        let chunk = random.journal.store.chunks[0]
        for count in [chunk.count - 1, chunk.count + 1] {
            let store = TestStore()
            try store.append(Chunk(after: nil, count: count, time: 0, bytes: chunk.bytes))
            #expect(try JournalReader(store).end().damage != nil)
        }
    }
}
