import Journal
import Testing

struct ChunkTests {
    private let chunks = (0..<3).reduce(into: [Chunk]()) { chunks, index in
        chunks.append(
            Chunk(
                after: chunks.last, count: index, time: Int64(index), bytes: [UInt8](repeating: 7, count: 20))
        )
    }

    @Test func chunks_haveDensePositions() {
        #expect(chunks.map(\.number) == [1, 2, 3])
        #expect(chunks.map(\.first) == [1, 1, 2])
        #expect(chunks.map(\.next) == [1, 2, 4])
    }

    @Test func chunk_followsTheOneBefore_andNoOther() {
        #expect(chunks[0].follows(nil) && chunks[1].follows(chunks[0]) && chunks[2].follows(chunks[1]))
        #expect(!chunks[1].follows(nil) && !chunks[2].follows(chunks[0]) && !chunks[1].follows(chunks[1]))
    }

    @Test func chunk_withAnyChangedBit_doesNotFollow() {
        let chunk = chunks[1]
        for bit in 0..<chunk.bytes.count * 8 {
            var bytes = chunk.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let changed = Chunk(
                number: chunk.number, first: chunk.first, count: chunk.count, time: chunk.time,
                checksum: chunk.checksum, bytes: bytes)
            #expect(!changed.follows(chunks[0]))
        }
    }

    /// RFC 3720, appendix B.4, has the checksum of 32 zero bytes; a chunk adds its numbers before.
    @Test func snapshot_withAChangedByte_isNotWhole() {
        let snapshot = Snapshot(after: chunks[2], bytes: [1, 2, 3])
        #expect(snapshot.isWhole)
        #expect(!Snapshot(chunk: snapshot.chunk, checksum: snapshot.checksum, bytes: [1, 2, 4]).isWhole)
    }
}
