import Synchronization

/// A journal in a file: a database of SQLite, with its log `FILE-wal` and its lock `FILE-lock` beside it.
///
/// One store at a time may write to a file, and any number may read it meanwhile, in this process and others.
/// The store may be used from any thread. Its calls wait for each other and for the disk.
///
/// The first write that fails ends the store: SQLite would accept the next one, and leave a hole. Later writes
/// throw `.notDurable` at once. A new store for the file finds all that was acknowledged.
public final class SQLiteStore: JournalStore {
    /// What a chunk survives once `append` has returned.
    public enum Durability: Hashable, Sendable {
        /// The end of the process, however it ends. A loss of power can take chunks since the last checkpoint.
        case off
        /// A loss of power, too. Each append waits for the disk.
        case full
    }

    /// What the store is opened for.
    public enum Mode: Hashable, Sendable {
        /// Writing and reading. If there is no file, or an empty one, the store makes a journal with the
        /// header; without a header it throws `.inaccessible`.
        case write(create: JournalHeader?, durability: Durability)
        /// Reading, which changes no chunk and takes no lock.
        case read
    }

    /// The path, as the caller gave it.
    public var path: String { file.given }
    public let header: JournalHeader
    /// Whether the newest chunks may be missing. This is so when the file is read in a place where nothing can
    /// be written, such as a full disk, and its log is not empty.
    public let isTailMissing: Bool
    /// Whether two hosts can write to the file at once without noticing, as it is on NFS, SMB, 9p, AFS, Ceph
    /// or FUSE.
    public var hasUnreliableLocks: Bool { file.hasUnreliableLocks }

    let file: JournalFile
    private let isWriter: Bool
    private let state: Mutex<State>

    private struct State {
        /// Nil once the store is closed.
        var connection: SQLiteConnection?
        /// Why the store takes nothing any more.
        var end: JournalError?
    }

    /// Opens a file, or makes it.
    ///
    /// - Throws: `.noLibrary` without libsqlite3; `.inaccessible` when the file cannot be opened or made;
    ///   `.notAJournal` for any other file, which is not changed; `.newer` when a later version of the host made
    ///   it; `.inUse` when another store writes to it; `.damaged` when its tables cannot be read.
    public init(path: String, _ mode: Mode) throws(JournalError) {
        file = try JournalFile(path)
        let opened = try file.open(mode)
        (header, isTailMissing) = (opened.header, opened.isTailMissing)
        if case .write = mode { isWriter = true } else { isWriter = false }
        state = Mutex(State(connection: opened.connection))
    }

    public func last() throws(JournalError) -> Chunk? {
        var last: Chunk?
        try reading { connection throws(SQLiteFailure) in
            try connection.run(.last, []) { row in
                last = Chunk(row)
                return false
            }
        }
        return last
    }

    public func append(_ chunk: Chunk) throws(JournalError) {
        guard let number = Int64(exactly: chunk.number) else { throw notNext(chunk) }
        var isNext = true
        try writing { connection throws(SQLiteFailure) in
            try connection.run(
                .append,
                [
                    number, Int64(bitPattern: chunk.first), Int64(chunk.count), chunk.time,
                    Int64(chunk.checksum),
                ],
                bytes: chunk.bytes)
            isNext = connection.changes == 1
        }
        guard isNext else { throw notNext(chunk) }
    }

    private func notNext(_ chunk: Chunk) -> JournalError {
        JournalError(.notNext, "chunk \(chunk.number) does not follow the newest chunk of `\(path)`")
    }

    public func put(_ snapshot: Snapshot) throws(JournalError) {
        let chunk = snapshot.chunk
        try writing { connection throws(SQLiteFailure) in
            try connection.run(
                .put,
                [
                    Int64(bitPattern: chunk.number), Int64(bitPattern: chunk.first), Int64(chunk.count),
                    chunk.time,
                    Int64(chunk.checksum), Int64(snapshot.checksum),
                ], bytes: snapshot.bytes)
        }
    }

    public func prune(upTo number: UInt64) throws(JournalError) {
        let number = Int64(clamping: number)
        try writing { connection throws(SQLiteFailure) in
            try connection.run(.begin, [])
            try connection.run(.dropChunks, [number])
            try connection.run(.dropSnapshots, [number])
            try connection.run(.commit, [])
            try connection.execute("PRAGMA incremental_vacuum")
        }
    }

    /// Executes a read alone.
    func reading<Result: Sendable>(
        position: UInt64 = 0, _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) in
            guard let connection = state.connection else { throw closed }
            do throws(SQLiteFailure) {
                return try body(connection)
            } catch {
                throw file.error(error, .reading(position: position))
            }
        }
    }

    /// Executes a write alone, and copies the log to the main file when it is long.
    private func writing(
        _ body: (SQLiteConnection) throws(SQLiteFailure) -> Void
    ) throws(JournalError) {
        guard isWriter else {
            throw JournalError(.inaccessible, "`\(path)` cannot be written: it was opened for reading")
        }
        try state.withLock { state throws(JournalError) in
            if let end = state.end { throw end }
            guard let connection = state.connection else { throw closed }
            do throws(SQLiteFailure) {
                try body(connection)
                try connection.checkpoint(from: Self.longLog)
            } catch {
                throw end(&state, file.error(error, .writing))
            }
            guard connection.isInPlace else {
                throw end(
                    &state, JournalError(.notDurable, "`\(path)` could not be written: the file was removed"))
            }
        }
    }

    /// The number of pages in the log from which on it is copied.
    private static let longLog: Int32 = 1_000

    public func release() { state.withLock { $0.connection = nil } }

    private var closed: JournalError { JournalError(.inaccessible, "`\(path)` is closed") }

    private func end(_ state: inout State, _ error: JournalError) -> JournalError {
        state.connection?.leaveFiles()
        state.end = error
        return error
    }
}
