import HostLoop
import Records

/// Reads a journal: what it says at any point, and its entries in order.
///
/// It reads from the newest good snapshot before the point. Chunks that are not whole end what it reads; the
/// error has the position up to which the journal is good.
public struct JournalReader: Sendable {
    /// Where the journal is kept.
    public let store: any JournalStore
    let passed = PassedPoints()
    private let reached: (@Sendable (Chunk) -> Void)?

    /// A reader of a store.
    ///
    /// - Parameter reached: gets each chunk before it is read, on the thread that reads, to show how far that is.
    public init(_ store: any JournalStore, reached: (@Sendable (Chunk) -> Void)? = nil) {
        (self.store, self.reached) = (store, reached)
    }

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

    /// The same. What lies between two snapshots that are further apart than `size` is read with new ones.
    ///
    /// - Parameters:
    ///   - size: bytes of entries.
    ///   - make: gets a snapshot after each `size` bytes. The last one may be of fewer bytes before the end.
    public func end(
        every size: Int, _ make: (Snapshot) -> Void
    ) throws(JournalError) -> Point {
        var point = try begin(upTo: .max)
        while true {
            let read = point.bytes
            try self.read(into: &point, upTo: .max, most: size)
            guard point.damage == nil, let last = point.last, point.bytes - read >= size else { return point }
            make(Snapshot(after: last, bytes: point.state.encoded()))
            point.bytes = 0
        }
    }

    /// What the journal says after the entry at a position, and after the notes that follow it.
    ///
    /// - Parameters:
    ///   - start: an entry that is visited, with all after it.
    ///   - visit: gets each entry from the snapshot on, with the state after it.
    public func point(
        upTo position: UInt64, from start: UInt64? = nil,
        _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(JournalError) -> Point {
        // A snapshot may have the last entry, unless it is to be visited.
        let first = min(start ?? .max, position == .max ? .max : position + 1)
        var point = try start == nil ? snapshot(before: first) : self.point(before: first)
        // What was pruned cannot be visited.
        if start != nil, point.last == nil { point = try self.start() }
        try read(into: &point, upTo: position, visit)
        return point
    }

    /// What the journal says a little before the entry at a position, at the end of a chunk.
    public func point(before position: UInt64) throws(JournalError) -> Point {
        let point = try snapshot(before: position)
        return position == .max ? point : try skip(from: point) { $0.state.next <= position }
    }

    /// What the newest good snapshot says that has no entry from a position on, or the start.
    func snapshot(before position: UInt64) throws(JournalError) -> Point {
        try begin(upTo: position == .max ? .max : store.chunk(holding: position), before: position)
    }

    /// The last point before which a search need not look. Chunks are read there without their entries being built,
    /// which is several times as fast.
    func skip(from start: Point, while isBefore: (Point) -> Bool) throws(JournalError) -> Point {
        var point = start
        for size in [Self.piece, Self.piece / 16] {
            while true {
                var next = point
                try read(into: &next, upTo: .max, most: size)
                guard next.chunks > point.chunks, next.damage == nil, isBefore(next) else { break }
                point = next
                if size == Self.piece { passed.add(point) }
            }
        }
        return point
    }

    /// What is known before the first chunk: nothing, or what the snapshot of a pruned journal says.
    public func start() throws(JournalError) -> Point {
        let first = try store.size().first
        guard first > 1 else { return Point() }
        let point = try begin(upTo: first - 1)
        guard point.last?.number == first - 1 else {
            throw damage(at: point.state.next, "the snapshot before the first chunk is damaged")
        }
        return point
    }

    /// Reads all entries from the first chunk on, and no snapshot.
    public func all(
        _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(JournalError) -> Point {
        var point = try start()
        try read(into: &point, upTo: .max, visit)
        return point
    }

    /// Reads all entries from the first chunk on, until `visit` returns false.
    public func entries(
        while visit: @escaping (PlacedEntry, JournalState) -> Bool
    ) throws(JournalError) -> Point {
        var point = try start()
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
            self.reached?(chunk)
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
    func begin(upTo number: UInt64, before position: UInt64 = .max) throws(JournalError) -> Point {
        var state: JournalState?
        let snapshot = try store.snapshot(upTo: number) { snapshot in
            guard snapshot.isWhole, snapshot.chunk.next <= position else { return false }
            state = try? JournalState(decoding: snapshot.bytes)
            return state != nil
        }
        var point = Point()
        if let snapshot, let state { point = Point(state: state, last: snapshot.chunk) }
        return passed.latest(after: point) { $0.state.next <= position && $0.last?.number ?? 0 <= number }
    }
}

/// Points that a reader has passed, so that it need not read up to them again. May be used from any thread.
final class PassedPoints: Sendable {
    /// Each has the states of all loops, so only so many are kept.
    private static let most = 24

    private let points = Lock<[JournalReader.Point]>([])

    func add(_ point: JournalReader.Point) {
        points.withLock { points in
            points.append(point)
            if points.count > Self.most { points.removeFirst() }
        }
    }

    /// The latest point after another one for which a condition holds, or else that one.
    func latest(
        after point: JournalReader.Point, where isWanted: (JournalReader.Point) -> Bool
    ) -> JournalReader.Point {
        points.withLock { $0 }.reduce(point) { best, point in
            point.state.next > best.state.next && isWanted(point) ? point : best
        }
    }
}
