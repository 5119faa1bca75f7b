/// Entries that were committed together. A crash keeps all of a chunk, or nothing.
public struct Chunk: Hashable, Sendable {
    /// Its number in the journal, from 1 without gaps.
    public let number: UInt64
    /// The position of its first entry that has one. The chunk before has those up to this.
    public let first: UInt64
    /// The number of entries that have a position; 0 if there are only notes.
    public let count: Int
    /// When it was committed: nanoseconds since 1970-01-01T00:00:00Z.
    public let time: Int64
    /// A checksum of the chunk, and of the checksum before.
    public let checksum: UInt32
    /// The entries.
    public let bytes: [UInt8]

    /// A chunk as a store has it.
    public init(number: UInt64, first: UInt64, count: Int, time: Int64, checksum: UInt32, bytes: [UInt8]) {
        (self.number, self.first, self.count, self.time) = (number, first, count, time)
        (self.checksum, self.bytes) = (checksum, bytes)
    }

    /// The chunk that follows another one; nil: the first of a journal.
    public init(after chunk: Chunk?, count: Int, time: Int64, bytes: [UInt8]) {
        self.init(
            number: (chunk?.number ?? 0) + 1, first: chunk?.next ?? 1, count: count, time: time,
            checksum: 0, before: chunk?.checksum ?? 0, bytes)
    }

    private init(
        number: UInt64, first: UInt64, count: Int, time: Int64, checksum: UInt32, before: UInt32,
        _ bytes: [UInt8]
    ) {
        let unsigned = Chunk(
            number: number, first: first, count: count, time: time, checksum: 0, bytes: bytes)
        self.init(
            number: number, first: first, count: count, time: time,
            checksum: unsigned.computed(after: before), bytes: bytes)
    }

    /// The position of the first entry after this chunk.
    public var next: UInt64 { first &+ UInt64(clamping: count) }

    /// Whether the chunk is whole, and is the one that followed `before` when it was written. Nil: the chunk
    /// before is not known, as the journal was pruned, or it is the first one.
    public func follows(_ before: Chunk?) -> Bool {
        guard count >= 0, first > 0 else { return false }
        guard let before else { return number == 1 && first == 1 && checksum == computed(after: 0) }
        return number == before.number &+ 1 && first == before.next
            && checksum == computed(after: before.checksum)
    }

    private func computed(after before: UInt32) -> UInt32 {
        var sum = CRC32C()
        sum.add(UInt64(before))
        sum.add(number)
        sum.add(first)
        sum.add(UInt64(clamping: count))
        sum.add(UInt64(bitPattern: time))
        // Safe because the call reads the bytes alone.
        unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
        return sum.value
    }
}

/// What a journal says up to the end of a chunk, so that nothing before needs to be read.
public struct Snapshot: Hashable, Sendable {
    /// The last chunk that it contains, in short: what the next chunk must follow.
    public let chunk: Chunk
    /// A checksum of all of it.
    public let checksum: UInt32
    /// A `JournalState`.
    public let bytes: [UInt8]

    /// A snapshot as a store has it. The chunk needs no bytes.
    public init(chunk: Chunk, checksum: UInt32, bytes: [UInt8]) {
        (self.chunk, self.checksum, self.bytes) = (chunk, checksum, bytes)
    }

    /// A snapshot after a chunk.
    public init(after chunk: Chunk, bytes: [UInt8]) {
        let short = Chunk(
            number: chunk.number, first: chunk.first, count: chunk.count, time: chunk.time,
            checksum: chunk.checksum, bytes: [])
        self.init(
            chunk: short, checksum: Snapshot(chunk: short, checksum: 0, bytes: bytes).computed, bytes: bytes)
    }

    /// Whether it is as it was made.
    public var isWhole: Bool { checksum == computed }

    private var computed: UInt32 {
        var sum = CRC32C()
        sum.add(chunk.number)
        sum.add(chunk.first)
        sum.add(UInt64(clamping: chunk.count))
        sum.add(UInt64(bitPattern: chunk.time))
        sum.add(UInt64(chunk.checksum))
        // Safe because the call reads the bytes alone.
        unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
        return sum.value
    }
}
