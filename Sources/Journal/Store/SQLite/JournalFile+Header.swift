extension JournalFile {
    /// Checks that the file is a journal of this format, and reads what it is.
    func header(_ connection: SQLiteConnection) throws(JournalError) -> JournalHeader {
        var (application, version) = (Int64(0), Int64(0))
        var rows: [String: String] = [:]
        var tables: [String: String] = [:]
        var isStrange = false
        do throws(SQLiteFailure) {
            // The file may come from anywhere, so SQLite must not call functions that its tables name.
            try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            application = try connection.number("PRAGMA application_id")
            version = try connection.number("PRAGMA user_version")
            if application == SQLiteFormat.application {
                try connection.rows("SELECT type, name, sql FROM sqlite_master") { row in
                    // Other tools may add tables. A trigger or a view could change what a statement does.
                    isStrange = isStrange || ["trigger", "view"].contains(row.text(0))
                    tables[row.text(1)] = row.text(2)
                }
                if tables["meta"] != nil {
                    try connection.rows("SELECT key, value FROM meta") { rows[$0.text(0)] = $0.text(1) }
                }
            }
        } catch {
            throw self.error(error, .opening)
        }
        guard application == SQLiteFormat.application, version > 0 else {
            throw JournalError(.notAJournal, "`\(given)` is not a journal, but another database")
        }
        guard version <= SQLiteFormat.version else {
            let writer = rows["writer"].map { " by `\($0)`" } ?? ""
            throw JournalError(
                .newer,
                "`\(given)` was written\(writer) in format \(version), and this version reads format 1")
        }
        guard !isStrange, SQLiteFormat.tables.allSatisfy({ tables[$0.name] == $0.sql }) else {
            throw JournalError(.damaged(position: 0), "`\(given)` is damaged: its tables are not a journal's")
        }
        guard let header = JournalHeader(rows) else {
            throw JournalError(
                .damaged(position: 0), "`\(given)` is damaged: its header is not what was written")
        }
        return header
    }
}

extension JournalHeader {
    /// The rows of the table `meta`.
    var rows: [(key: String, value: String)] {
        [
            ("id", id), ("app", app), ("created", String(created)), ("writer", writer),
            ("crc", String(checksum)),
        ]
    }

    /// The header that the rows have; nil if it is not what was written.
    init?(_ rows: [String: String]) {
        guard let id = rows["id"], let app = rows["app"],
            let created = rows["created"].flatMap({ Int64($0) }),
            let writer = rows["writer"]
        else { return nil }
        self.init(id: id, app: app, created: created, writer: writer)
        guard rows["crc"] == String(checksum) else { return nil }
    }

    private var checksum: UInt32 {
        var sum = CRC32C()
        // Safe because the call reads the bytes alone.
        for text in [id, app, String(created), writer] {
            let bytes = Array(text.utf8)
            sum.add(UInt64(bytes.count))
            unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
        }
        return sum.value
    }
}
