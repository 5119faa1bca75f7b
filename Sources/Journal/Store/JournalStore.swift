/// Where a journal is kept: a line of chunks, of which one follows the other, and snapshots beside them.
///
/// The chunks are numbered from 1. A store keeps bytes and understands none of them. It may be used by one
/// writer, and by readers that have opened it themselves, at the same time.
///
/// A store that loses its place, as after a failed sync, must refuse all that comes later: a journal with a
/// hole is worse than one that ends.
public protocol JournalStore: AnyObject, Sendable {
    /// What the journal is. It does not change.
    var header: JournalHeader { get }

    /// The newest chunk; nil in an empty journal.
    func last() throws(JournalError) -> Chunk?

    /// Appends a chunk, and returns when it is as durable as the store was opened for.
    ///
    /// - Throws: `.notDurable` when it could not be written; `.notNext` when the chunk does not follow the
    ///   newest one, because another writer has appended one.
    func append(_ chunk: Chunk) throws(JournalError)

    /// Reads chunks in order, from a number on, until `body` returns false.
    ///
    /// The chunks are as they were stored. `Chunk.follows(_:)` tells whether they are whole.
    func read(from number: UInt64, _ body: (Chunk) throws(JournalError) -> Bool) throws(JournalError)

    /// The number of the first chunk that begins with `position` or a later one, minus 1: where to read from to
    /// find it. If no chunk does, the number of the newest chunk; 0 in an empty journal.
    func chunk(holding position: UInt64) throws(JournalError) -> UInt64

    /// The number of the first chunk that was committed at `time` or later, minus 1. When all are earlier, the number of
    /// the newest chunk; 0 in an empty journal.
    ///
    /// - Parameter time: nanoseconds since 1970-01-01T00:00:00Z.
    func chunk(committedAt time: Int64) throws(JournalError) -> UInt64

    /// Keeps a snapshot.
    func put(_ snapshot: Snapshot) throws(JournalError)

    /// The newest snapshot whose chunk is at most `number`, before those that `isGood` refuses.
    func snapshot(
        upTo number: UInt64, _ isGood: (Snapshot) -> Bool
    ) throws(JournalError) -> Snapshot?

    /// The chunks of all snapshots, in order.
    func snapshots() throws(JournalError) -> [UInt64]

    /// Removes the chunks up to a number, and the snapshots before it. The snapshot of that chunk stays, and so
    /// does the newest chunk, which the next one must follow.
    func prune(upTo number: UInt64) throws(JournalError)

    /// How large the journal is.
    func size() throws(JournalError) -> JournalSize

    /// Gives back what the store has of the system. Nothing may use the store after that.
    func close()
}

/// What a journal is.
public struct JournalHeader: Hashable, Sendable {
    /// Tells the journal from all others: 128 random bits as 32 hexadecimal digits.
    public let id: String
    /// The name of the app.
    public let app: String
    /// When it was made: nanoseconds since 1970-01-01T00:00:00Z.
    public let created: Int64
    /// The program that made it, with its version; empty if it did not say.
    public let writer: String

    /// A header for a new journal.
    public init(id: String, app: String, created: Int64, writer: String = "") {
        (self.id, self.app, self.created, self.writer) = (id, app, created, writer)
    }
}

/// How large a journal is.
public struct JournalSize: Hashable, Sendable {
    /// The number of chunks, and the bytes of their entries.
    public var chunks = 0, chunkBytes = 0
    /// The number of snapshots, and their bytes.
    public var snapshots = 0, snapshotBytes = 0
    /// The first chunk that is still there; 0 without any.
    public var first: UInt64 = 0

    /// Nothing.
    public init() {}
}
