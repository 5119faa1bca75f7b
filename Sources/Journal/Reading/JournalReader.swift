import Records

/// Reads a journal: what it says at any point, and its entries in order.
///
/// It reads from the newest good snapshot before the point. Chunks that are not whole end what it reads; the
/// error has the position up to which the journal is good.
public struct JournalReader: Sendable {
    /// Where the journal is kept.
    public let store: any JournalStore

    /// A reader of a store.
    public init(_ store: any JournalStore) { self.store = store }

    /// A point up to which the journal was read, and the last chunk before.
    public struct Point: Sendable {
        /// What the journal says.
        public var state = JournalState()
        /// The last chunk that was read whole; nil in an empty journal.
        public var last: Chunk?
        /// What is wrong after that; nil if nothing is.
        public var damage: JournalError?
        /// The number of chunks that were read.
        public var chunks = 0
        /// The bytes that were read since the snapshot.
        public var bytes = 0
    }

    /// What the journal says after all of its entries, or before the first damage.
    public func end() throws(JournalError) -> Point { try point(upTo: .max) }

    /// What the journal says after the entry at a position, and after the notes that follow it.
    ///
    /// - Parameters:
    ///   - start: an entry that is visited, with all after it.
    ///   - visit: gets each entry from the snapshot on, with the state after it.
    public func point(
        upTo position: UInt64, from start: UInt64? = nil,
        _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(JournalError) -> Point {
        let first = min(start ?? .max, position)
        let limit = first == .max ? UInt64.max : try store.chunk(holding: first)
        var point = try begin(upTo: limit, before: first)
        // What was pruned cannot be visited.
        if start != nil, point.last == nil { point = try self.first() }
        try read(into: &point, upTo: position, visit)
        return point
    }

    /// Reads all entries from the first chunk on, and no snapshot.
    public func all(
        _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(JournalError) -> Point {
        var point = try first()
        try read(into: &point, upTo: .max, visit)
        return point
    }

    /// Reads all entries from the first chunk on, until `visit` returns false.
    public func entries(
        while visit: @escaping (PlacedEntry, JournalState) -> Bool
    ) throws(JournalError) -> Point {
        var point = try first()
        var isWanted = true
        while isWanted, point.damage == nil {
            let chunks = point.chunks
            try read(into: &point, upTo: .max, most: Self.batch) { placed, state in
                if isWanted { isWanted = visit(placed, state) }
            }
            guard point.chunks > chunks else { break }
        }
        return point
    }

    /// So many bytes are read before a reader that has seen enough ends.
    private static let batch = 1 << 20

    /// The point before the first entry that is still there.
    private func first() throws(JournalError) -> Point {
        let first = try store.size().first
        return first > 1 ? try begin(at: first - 1) : Point()
    }

    /// What the journal says at the end of a chunk.
    public func point(after chunk: UInt64) throws(JournalError) -> Point {
        var point = try begin(upTo: chunk)
        try read(into: &point, upTo: .max, through: chunk)
        return point
    }

    /// Continues to read, up to a position.
    ///
    /// - Parameters:
    ///   - number: the last chunk that is read.
    ///   - most: the chunk that reaches so many bytes is the last one.
    public func read(
        into point: inout Point, upTo position: UInt64, through number: UInt64 = .max, most: Int = .max,
        _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(JournalError) {
        var reached = point
        let begin = point.bytes
        try store.read(from: (point.last?.number ?? 0) + 1) { chunk throws(JournalError) in
            guard chunk.number <= number else { return false }
            guard chunk.follows(reached.last) else {
                // Only notes could still be missing.
                guard reached.state.next <= position else { return false }
                reached.damage =
                    reached.last == nil && chunk.number > 1
                    ? JournalError(.inaccessible, "the entries before @\(chunk.first) were pruned")
                    : damage(at: reached.state.next, "a checksum is wrong")
                return false
            }
            do throws(DamagedBytes) {
                let isReached = try reached.state.apply(chunk, upTo: position, visit)
                guard !isReached else { return false }
                reached.last = chunk
                (reached.chunks, reached.bytes) = (reached.chunks + 1, reached.bytes + chunk.bytes.count)
                return reached.bytes - begin < most
            } catch {
                reached.damage = damage(at: reached.state.next, error.description)
                return false
            }
        }
        point = reached
    }

    private func damage(at position: UInt64, _ reason: String) -> JournalError {
        JournalError(.damaged(position: position), "damaged at @\(position): \(reason)")
    }

    /// The newest good snapshot up to a chunk that has no entry from a position on, or the start.
    private func begin(upTo number: UInt64, before position: UInt64 = .max) throws(JournalError) -> Point {
        var state: JournalState?
        let snapshot = try store.snapshot(upTo: number) { snapshot in
            guard snapshot.isWhole, snapshot.chunk.next <= position else { return false }
            state = try? JournalState(decoding: snapshot.bytes)
            return state != nil
        }
        guard let snapshot, let state else { return Point() }
        return Point(state: state, last: snapshot.chunk)
    }

    private func begin(at number: UInt64) throws(JournalError) -> Point {
        let point = try begin(upTo: number)
        guard point.last?.number == number else {
            throw damage(at: point.state.next, "the snapshot before the first chunk is damaged")
        }
        return point
    }
}
