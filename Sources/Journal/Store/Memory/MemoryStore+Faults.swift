extension MemoryStore {
    /// A kind of write.
    public enum Write: Hashable, Sendable { case append, put, prune }

    /// When a write fails: before it has an effect, or after it, as when the acknowledgement is lost.
    public enum Moment: Hashable, Sendable { case before, after }

    struct Fault {
        let write: Write
        let moment: Moment
        /// How many writes of the kind are left until the one that fails.
        var countdown: Int
    }

    /// Has a write fail with `.notDurable`, and all writes after it.
    ///
    /// - Parameter count: which one, counted from this call; 1 is the next.
    public func fail(_ write: Write, _ moment: Moment, at count: Int = 1) {
        withState { $0.faults.append(Fault(write: write, moment: moment, countdown: count)) }
    }

    /// The store that a process finds after a crash, without the faults that were ordered.
    ///
    /// - Parameter number: the last chunk that the crash leaves, with the snapshots up to it; nil leaves all.
    public func reopened(upTo number: UInt64? = nil) -> MemoryStore {
        var state = withState { $0 }
        (state.faults, state.hasEnded) = ([], false)
        if let number {
            state.chunks.removeAll { $0.number > number }
            state.snapshots.removeAll { $0.chunk.number > number }
        }
        return MemoryStore(header: header, state)
    }

    /// Changes a byte of a chunk: of its entries, or of the checksum that follows them.
    ///
    /// - Parameters:
    ///   - number: a chunk that the store has; otherwise nothing changes.
    ///   - index: at least 0; the four bytes from the number of entry bytes on are the checksum.
    ///   - mask: the bits to change.
    public func change(chunk number: UInt64, byte index: Int, mask: UInt8 = 0xff) {
        withState { state in
            guard let place = state.chunks.firstIndex(where: { $0.number == number }) else { return }
            let chunk = state.chunks[place]
            let (bytes, checksum) = Self.changed(chunk.bytes, chunk.checksum, index, mask)
            state.chunks[place] = Chunk(
                number: chunk.number, first: chunk.first, count: chunk.count, time: chunk.time,
                checksum: checksum, bytes: bytes)
        }
    }

    /// Changes a byte of a snapshot: of its content, or of the checksum that follows it.
    ///
    /// The parameters are as for a chunk.
    public func change(snapshot number: UInt64, byte index: Int, mask: UInt8 = 0xff) {
        withState { state in
            guard let place = state.snapshots.firstIndex(where: { $0.chunk.number == number }) else { return }
            let snapshot = state.snapshots[place]
            let (bytes, checksum) = Self.changed(snapshot.bytes, snapshot.checksum, index, mask)
            state.snapshots[place] = Snapshot(chunk: snapshot.chunk, checksum: checksum, bytes: bytes)
        }
    }

    private static func changed(
        _ bytes: [UInt8], _ checksum: UInt32, _ index: Int, _ mask: UInt8
    ) -> ([UInt8], UInt32) {
        guard index < bytes.count else {
            return (bytes, checksum ^ UInt32(mask) << UInt32(8 * ((index - bytes.count) & 3)))
        }
        var bytes = bytes
        bytes[index] ^= mask
        return (bytes, checksum)
    }
}

extension MemoryStore.State {
    /// Counts a write; when it must fail, if it must.
    mutating func nextFault(of write: MemoryStore.Write) -> MemoryStore.Moment? {
        var moment: MemoryStore.Moment?
        for index in faults.indices where faults[index].write == write {
            faults[index].countdown -= 1
            if faults[index].countdown == 0 { moment = faults[index].moment }
        }
        return moment
    }
}
