/// The statements that a store prepares once.
enum SQLiteQuery: Int, CaseIterable {
    case append, copy, read, last, firstFrom, dropChunks
    case put, snapshot, snapshots, dropSnapshots
    case chunkSize, snapshotSize
    case begin, commit

    var sql: String {
        switch self {
        // Another writer may have appended since this one looked, so the statement looks itself.
        case .append:
            "INSERT INTO chunk SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ifnull((SELECT max(number) FROM chunk), 0) = ?1 - 1"
        case .copy: "INSERT INTO chunk VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
        case .read:
            "SELECT number, first, count, time, crc, data FROM chunk WHERE number >= ?1 ORDER BY number"
        case .last:
            "SELECT number, first, count, time, crc, data FROM chunk ORDER BY number DESC LIMIT 1"
        case .firstFrom:
            "SELECT number, first, time FROM chunk WHERE number >= ?1 ORDER BY number LIMIT 1"
        case .dropChunks:
            "DELETE FROM chunk WHERE number <= ?1 AND number < (SELECT max(number) FROM chunk)"
        case .put:
            "INSERT OR REPLACE INTO snapshot VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        case .snapshot:
            "SELECT number, first, count, time, chunk_crc, crc, data FROM snapshot WHERE number = ?1"
        case .snapshots: "SELECT number FROM snapshot ORDER BY number"
        case .dropSnapshots: "DELETE FROM snapshot WHERE number < ?1"
        case .chunkSize: "SELECT count(*), ifnull(sum(length(data)), 0), ifnull(min(number), 0) FROM chunk"
        case .snapshotSize: "SELECT count(*), ifnull(sum(length(data)), 0) FROM snapshot"
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        }
    }
}

/// What a file of format 1 contains. The chunks need no index by position: as positions rise with numbers, a
/// binary search over the numbers finds them.
enum SQLiteFormat {
    /// "SPIN", which tells a journal from other databases.
    static let application: Int64 = 0x5350_494e
    static let version: Int64 = 1

    static let tables: [(name: String, sql: String)] = [
        ("meta", "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"),
        (
            "chunk",
            """
            CREATE TABLE chunk(number INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL, \
            time INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL)
            """
        ),
        (
            "snapshot",
            """
            CREATE TABLE snapshot(number INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL, \
            time INTEGER NOT NULL, chunk_crc INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL)
            """
        ),
    ]
}
