import CSQLite

extension SQLiteStore {
    public func read(
        from number: UInt64, _ body: (Chunk) throws(JournalError) -> Bool
    ) throws(JournalError) {
        var (next, position) = (number, UInt64(0))
        while true {
            // The body may use the store, so no lock is held meanwhile.
            var batch: [Chunk] = []
            var size = 0
            var isMore = false
            var failure: JournalError?
            do {
                try reading(position: position) { connection throws(SQLiteFailure) in
                    try connection.run(.read, [Int64(clamping: next)]) { row in
                        let chunk = Chunk(row)
                        batch.append(chunk)
                        size += chunk.bytes.count
                        isMore = size >= Self.batchBytes || batch.count >= Self.batchChunks
                        return !isMore
                    }
                }
            } catch {
                failure = error
            }
            for chunk in batch where try !body(chunk) { return }
            if let last = batch.last { (next, position) = (last.number &+ 1, last.next) }
            if let failure {
                guard case .damaged = failure.kind else { throw failure }
                throw JournalError(.damaged(position: position), failure.description)
            }
            guard isMore else { return }
        }
    }

    /// How many chunks are read at a time: so many, or so many bytes.
    private static let batchChunks = 256
    private static let batchBytes = 1 << 20

    public func chunk(holding position: UInt64) throws(JournalError) -> UInt64 {
        try chunk { first, _ in first >= position }
    }

    public func chunk(committedAt time: Int64) throws(JournalError) -> UInt64 {
        try chunk { _, committed in committed >= time }
    }

    /// The number of the first chunk for which a condition holds, minus 1, or that of the newest chunk.
    ///
    /// - Parameter holds: gets the first position and the time of a chunk. If it holds for a chunk, it holds for
    ///   later ones.
    private func chunk(
        where holds: (_ first: UInt64, _ time: Int64) -> Bool
    ) throws(JournalError) -> UInt64 {
        try reading { connection throws(SQLiteFailure) in
            /// The first chunk from a number on.
            func chunk(from number: Int64) throws(SQLiteFailure) -> (number: Int64, holds: Bool)? {
                var found: (Int64, Bool)?
                try connection.run(.firstFrom, [number]) { row in
                    found = (row.number(0), holds(UInt64(bitPattern: row.number(1)), row.number(2)))
                    return false
                }
                return found
            }
            var newest: Int64 = 0
            try connection.run(.last, []) { row in
                newest = row.number(0)
                return false
            }
            guard newest > 0, var low = try chunk(from: 1)?.number else { return 0 }
            // The chunk is from `low` on, and before `end`.
            var end = newest
            while low < end {
                let middle = low + (end - low) / 2
                guard let found = try chunk(from: middle) else { break }
                if found.holds { end = middle } else { low = found.number + 1 }
            }
            guard let found = try chunk(from: low), found.holds else { return UInt64(newest) }
            return UInt64(found.number - 1)
        }
    }

    public func snapshot(
        upTo number: UInt64, _ isGood: (Snapshot) -> Bool
    ) throws(JournalError) -> Snapshot? {
        for candidate in try readableSnapshots().reversed() where candidate <= number {
            var found: Snapshot?
            do {
                try reading { connection throws(SQLiteFailure) in
                    try connection.run(.snapshot, [Int64(clamping: candidate)]) { row in
                        found = Snapshot(row)
                        return false
                    }
                }
            } catch {
                // SQLite cannot read this one, as it is damaged.
                guard case .damaged = error.kind else { throw error }
            }
            if let found, found.chunk.number == candidate, isGood(found) { return found }
        }
        return nil
    }

    /// The chunks of the snapshots; none if their table is damaged.
    func readableSnapshots() throws(JournalError) -> [UInt64] {
        do {
            return try snapshots()
        } catch {
            guard case .damaged = error.kind else { throw error }
            return []
        }
    }

    public func snapshots() throws(JournalError) -> [UInt64] {
        var numbers: [UInt64] = []
        try reading { connection throws(SQLiteFailure) in
            try connection.run(.snapshots, []) { row in
                numbers.append(UInt64(bitPattern: row.number(0)))
                return true
            }
        }
        return numbers
    }

    public func size() throws(JournalError) -> JournalSize {
        var size = JournalSize()
        try reading { connection throws(SQLiteFailure) in
            try connection.run(.chunkSize, []) { row in
                (size.chunks, size.chunkBytes) = (Int(row.number(0)), Int(row.number(1)))
                size.first = UInt64(bitPattern: row.number(2))
                return true
            }
            try connection.run(.snapshotSize, []) { row in
                (size.snapshots, size.snapshotBytes) = (Int(row.number(0)), Int(row.number(1)))
                return true
            }
        }
        return size
    }
}

extension Chunk {
    /// The chunk of a row: number, first, count, time, checksum, bytes.
    init(_ row: SQLiteRow) {
        self.init(
            number: UInt64(bitPattern: row.number(0)), first: UInt64(bitPattern: row.number(1)),
            count: Int(row.number(2)), time: row.number(3),
            checksum: UInt32(truncatingIfNeeded: row.number(4)),
            bytes: row.bytes(5))
    }
}

extension Snapshot {
    /// The snapshot of a row: number, first, count, time and checksum of its chunk, checksum, bytes.
    fileprivate init(_ row: SQLiteRow) {
        self.init(
            chunk: Chunk(
                number: UInt64(bitPattern: row.number(0)), first: UInt64(bitPattern: row.number(1)),
                count: Int(row.number(2)), time: row.number(3),
                checksum: UInt32(truncatingIfNeeded: row.number(4)), bytes: []),
            checksum: UInt32(truncatingIfNeeded: row.number(5)), bytes: row.bytes(6))
    }
}
