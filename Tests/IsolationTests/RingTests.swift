import TestSupport
import Testing

/// The ring of messages in the memory that host and worker share.
struct RingTests {
    @Test func messages_comeInOrder_withTheirBytes() throws {
        let ring = try Ring()
        #expect(ring.read() == .empty)
        #expect(ring.write([1, 2, 3], kind: 5))
        #expect(ring.write([], kind: 6))
        #expect(ring.write([4], kind: .max))
        #expect(ring.read() == .message(kind: 5, [1, 2, 3]))
        #expect(ring.read() == .message(kind: 6, []))
        #expect(ring.read() == .message(kind: .max, [4]))
        #expect(ring.read() == .empty)
    }

    @Test func messagesBeyondTheEnd_lieAtTheStart() throws {
        let ring = try Ring()
        var (sent, received) = (0, 0)
        // A message of another size in each round, so that the ends of messages lie at ever other places.
        while ring.written < 3 * Ring.capacity {
            let size = 1 << 20 | sent % 4096 * 7
            try #require(ring.write(size, byte: UInt8(sent % 251)), "message \(sent)")
            sent += 1
            // The ring is never empty, so it is used up to its end.
            guard sent - received > 8 else { continue }
            let message = try #require(ring.readEnds())
            try #require(message == (1 << 20 | received % 4096 * 7, UInt8(received % 251)))
            received += 1
        }
    }

    @Test(arguments: [4000, 100_000, 5_000_001])
    func fullRing_losesNothing_andHasRoomAgain(size: Int) throws {
        let ring = try Ring()
        var sent = 0
        while ring.write(size, byte: UInt8(sent % 251)) { sent += 1 }
        #expect(ring.written <= Ring.capacity)
        #expect(ring.written + Ring.head + size + 7 > Ring.capacity)
        #expect(!ring.write(size))
        let wrong = (0..<sent).filter { index in
            ring.readEnds().map { $0 != (size, UInt8(index % 251)) } ?? true
        }
        #expect(wrong == [])
        #expect(ring.read() == .empty)
        #expect(ring.write(size, byte: 3))
        #expect(try #require(ring.readEnds()).size == size)
    }

    @Test func oneMessageRead_makesRoomForOne() throws {
        let ring = try Ring()
        let size = 1 << 20
        while ring.write(size) {}
        for _ in 0..<200 {
            try #require(ring.readEnds() != nil)
            // The bytes at the end that are too few for a message can need a second one.
            if ring.write(size) { continue }
            try #require(ring.readEnds() != nil)
            try #require(ring.write(size))
        }
    }

    @Test func spareRoom_isForOtherMessages() throws {
        let (ring, spare) = (try Ring(), 1 << 20)
        while ring.write(5000, leaving: spare) {}
        #expect(ring.written + spare <= Ring.capacity)
        #expect(ring.written + spare + 5008 > Ring.capacity)
        var left = 0
        while ring.write(1000) { left += 1 }
        #expect(left >= spare / 1008)
        // Only what was read makes room for messages that leave some.
        #expect(!ring.write(0, leaving: spare))
        // They took no more than these.
        for _ in 0...spare / 5008 + 1 { _ = ring.readEnds() }
        #expect(ring.write(0, leaving: spare))
    }

    @Test func longestMessage_fits_andOneByteMoreDoesNot() throws {
        let ring = try Ring()
        #expect(!ring.write(Ring.most + 1))
        #expect(ring.write(Ring.most, byte: 9))
        #expect(try #require(ring.readEnds()) == (Ring.most, 9))
        #expect(!ring.write(Ring.most + 1))
    }

    /// Wherever the messages before have ended, an empty ring has room for the longest one and for what follows it.
    @Test(arguments: [0, 1, 8, 1000, 1 << 18, 1 << 20, Ring.most - (1 << 21), Ring.most - 8, Ring.most])
    func emptyRing_hasRoomForTheLongestMessage(before: Int) throws {
        let (ring, spare) = (try Ring(), 1 << 20)
        for round in 0..<8 {
            try #require(ring.write(before, leaving: spare))
            try #require(ring.readEnds() != nil)
            try #require(ring.write(Ring.most, leaving: spare), "round \(round)")
            try #require(ring.write(spare - 2 * Ring.head), "round \(round)")
            try #require(try #require(ring.readEnds()).size == Ring.most)
            try #require(ring.readEnds() != nil)
        }
    }

    @Test func pagesOfLongMessages_areGivenBack() throws {
        let ring = try Ring()
        #expect(ring.write([UInt8](repeating: 1, count: 20 << 20)))
        #expect(ring.resident >= 20 << 20)
        #expect(ring.read() != .empty)
        #expect(ring.write(100, byte: 2))
        #expect(ring.resident <= 5 << 20)
        #expect(try #require(ring.readEnds()) == (100, 2))
        // Pages that were given back can be used again.
        let long = [UInt8](repeating: 3, count: 20 << 20)
        #expect(ring.write(long, kind: 1))
        #expect(ring.read() == .message(kind: 1, long))
    }

    @Test func pagesOfMessagesThatWait_stay() throws {
        let ring = try Ring()
        let long = [UInt8](repeating: 3, count: 20 << 20)
        #expect(ring.write(long, kind: 1))
        #expect(ring.write(100, byte: 2))
        #expect(ring.write(100, byte: 2))
        #expect(ring.read() == .message(kind: 1, long))
        #expect(try #require(ring.readEnds()) == (100, 2))
        #expect(try #require(ring.readEnds()) == (100, 2))
    }

    @Test func shortMessages_stayAtTheStart() throws {
        let ring = try Ring()
        while ring.written < Ring.capacity {
            guard ring.write(4000), ring.readEnds() != nil else { break }
        }
        #expect(ring.written >= Ring.capacity)
        #expect(ring.resident < 1 << 20)
    }
}

/// A wild process can write to all of the memory, positions included.
struct WildRingTests {
    static let capacity = UInt64(Ring.capacity)

    @Test(arguments: [1, 4, 15, capacity + 8, 1 << 63, .max - 7, .max] as [UInt64])
    func impossibleEnd_isRefused(tail: UInt64) throws {
        let ring = try Ring()
        ring.change(.tail, to: tail)
        #expect(ring.read() == .damaged)
    }

    @Test func endBeforeTheReader_isRefused() throws {
        let ring = try Ring()
        #expect(ring.write(100))
        #expect(ring.write(100))
        #expect(ring.readEnds() != nil)
        ring.change(.tail, to: 8)
        #expect(ring.read() == .damaged)
    }

    @Test(arguments: [UInt32(Ring.most) + 1, .max - 1, 1 << 31, 101, 1000] as [UInt32])
    func sizeBeyondTheEnd_isRefused(size: UInt32) throws {
        let ring = try Ring()
        // It takes 104 bytes.
        #expect(ring.write(96))
        ring.changeHead(at: 0, size: size)
        #expect(ring.read() == .damaged)
    }

    @Test func markOfTheEnd_isRefused_whereNoEndIs() throws {
        let ring = try Ring()
        #expect(ring.write(96))
        ring.changeHead(at: 0, size: .max)
        #expect(ring.read() == .damaged)
        let other = try Ring()
        #expect(other.write(96))
        #expect(other.readEnds() != nil)
        #expect(other.write(96))
        other.changeHead(at: 104, size: .max)
        #expect(other.read() == .damaged)
    }

    /// The writer believes no position of the reader that cannot be: it then sees the ring as full.
    @Test(arguments: [.max, 1 << 63, 2 * capacity, capacity + 8] as [UInt64])
    func impossiblePositionOfTheReader_isIgnored(head: UInt64) throws {
        let (ring, size) = (try Ring(), 1 << 20)
        var sent = 0
        while ring.write(size, byte: UInt8(sent)) { sent += 1 }
        ring.change(.head, to: head)
        #expect(!ring.write(size))
        for index in 0..<sent { #expect(try #require(ring.readEnds()) == (size, UInt8(index))) }
        #expect(ring.write(size))
    }

    @Test func rubbish_harmsNobody() throws {
        var generator = SeededGenerator(seed: 1)
        let ring = try Ring()
        for _ in 0..<1000 {
            _ = ring.write(Int.random(in: 0..<5000, using: &generator))
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            ring.scribble(bytes, at: Int.random(in: 0..<512, using: &generator))
            _ = ring.read()
        }
    }
}
