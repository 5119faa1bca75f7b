import Foundation
import Journal
import TestSupport
import Testing

/// What every store does.
struct StoreContractTests {
    enum Kind: CaseIterable { case memory, sqlite }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind) throws -> any JournalStore {
        switch kind {
        case .memory: MemoryStore(header: .levels)
        case .sqlite: try SQLiteStore(writing: folder.url("run.journal").path)
        }
    }

    @Test(arguments: Kind.allCases) func emptyStore_hasItsHeader_andNothingElse(kind: Kind) throws {
        let store = try store(kind)
        #expect(store.header == .levels)
        #expect(try store.last() == nil)
        #expect(try store.chunks() == [])
        #expect(try store.chunk(holding: 1) == 0)
        #expect(try store.snapshots() == [])
        #expect(try store.snapshot(upTo: .max) { _ in true } == nil)
        #expect(try store.size() == JournalSize())
        try store.prune(upTo: 5)
    }

    @Test(arguments: Kind.allCases) func chunks_areReadAsTheyWereAppended(kind: Kind) throws {
        let store = try store(kind)
        var chunks: [Chunk] = []
        for index in 0..<600 {
            chunks.append(
                Chunk(
                    after: chunks.last, count: index % 3, time: Int64(-index),
                    bytes: [UInt8](repeating: UInt8(index & 0xff), count: index)))
            try store.append(chunks[index])
        }
        #expect(try store.chunks() == chunks)
        #expect(try store.chunks(from: 300) == Array(chunks[299...]))
        #expect(try store.chunks(from: 601) == [])
        #expect(try store.chunks(from: .max) == [])
        #expect(try store.last() == chunks.last)
        #expect(try store.size().chunks == 600)
        #expect(try store.size().chunkBytes == 599 * 300)
        var seen = 0
        try store.read(from: 1) { _ in
            seen += 1
            return seen < 7
        }
        #expect(seen == 7)
    }

    @Test(arguments: Kind.allCases) func chunksAreFound_byTheTimeOfTheirCommit(kind: Kind) throws {
        let store = try store(kind)
        #expect(try store.chunk(committedAt: 5) == 0)
        var last: Chunk?
        for time in [10, 20, 20, 30] as [Int64] {
            let chunk = Chunk(after: last, count: 1, time: time, bytes: [1])
            try store.append(chunk)
            last = chunk
        }
        #expect(try [5, 10, 11, 20, 21, 30].map { try store.chunk(committedAt: $0) } == [0, 0, 1, 1, 3, 3])
        #expect(try store.chunk(committedAt: 31) == 4)
    }

    @Test(arguments: Kind.allCases) func append_duringARead_isAllowed(kind: Kind) throws {
        let store = try store(kind)
        try store.append(2)
        try store.read(from: 1) { chunk throws(JournalError) in
            if chunk.number == 1 { try store.append(1) }
            return true
        }
        #expect(try store.last()?.number == 3)
    }

    @Test(arguments: Kind.allCases) func chunk_thatDoesNotFollow_isRefused_andTheStoreContinues(kind: Kind)
        throws
    {
        let store = try store(kind)
        try store.append(2)
        let chunks = try store.chunks()
        let far = Chunk(number: 4, first: 9, count: 1, time: 0, checksum: 0, bytes: [])
        let huge = Chunk(number: .max, first: 9, count: 1, time: 0, checksum: 0, bytes: [])
        for chunk in [chunks[0], chunks[1], far, huge] {
            let error = failure { () throws(JournalError) in try store.append(chunk) }
            #expect(error?.kind == .notNext)
        }
        try store.append(1)
        #expect(try store.chunks().map(\.number) == [1, 2, 3])
    }

    @Test(arguments: Kind.allCases) func position_isFoundInTheChunkAfter(kind: Kind) throws {
        let store = try store(kind)
        // Positions 1 and 2, 3 and 4, none, 5 to 7, none.
        for count in [2, 2, 0, 3, 0] {
            try store.append(Chunk(after: store.last(), count: count, time: 0, bytes: []))
        }
        let numbers = try (1...10).map { try store.chunk(holding: UInt64($0)) }
        #expect(numbers == [0, 1, 1, 2, 2, 4, 4, 4, 5, 5])
        try store.prune(upTo: 3)
        #expect(try store.chunk(holding: 1) == 3)
        #expect(try store.chunk(holding: 6) == 4)
    }

    @Test(arguments: Kind.allCases) func snapshots_areFoundFromTheNewestOn(kind: Kind) throws {
        let store = try store(kind)
        try store.append(5)
        let chunks = try store.chunks()
        let snapshots = [1, 3, 4].map {
            Snapshot(after: chunks[$0], bytes: [UInt8](repeating: 9, count: $0 * 9_000))
        }
        for index in [2, 0, 1] { try store.put(snapshots[index]) }
        #expect(try store.snapshots() == [2, 4, 5])
        #expect(try store.snapshot(upTo: .max) { _ in true } == snapshots[2])
        #expect(try store.snapshot(upTo: 4) { _ in true } == snapshots[1])
        #expect(try store.snapshot(upTo: .max) { $0.chunk.number < 4 } == snapshots[0])
        #expect(try store.snapshot(upTo: 1) { _ in true } == nil)
        let other = Snapshot(after: chunks[3], bytes: [])
        try store.put(other)
        #expect(try store.snapshot(upTo: 4) { _ in true } == other)
        #expect(try store.size().snapshots == 3)
    }

    @Test(arguments: Kind.allCases) func prune_keepsTheRest_andTheNewestChunk(kind: Kind) throws {
        let store = try store(kind)
        try store.append(6, size: 9_000)
        let chunks = try store.chunks()
        for index in [1, 3] { try store.put(Snapshot(after: chunks[index], bytes: [])) }
        try store.prune(upTo: 4)
        #expect(try store.chunks() == Array(chunks[4...]))
        #expect(try store.snapshots() == [4])
        #expect(try store.size().first == 5)
        try store.prune(upTo: .max)
        #expect(try store.chunks() == [chunks[5]])
        #expect(try store.snapshots() == [])
        try store.append(1)
        #expect(try store.chunks().map(\.number) == [6, 7])
    }
}
