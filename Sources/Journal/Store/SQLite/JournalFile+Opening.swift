import CSQLite
import Glibc

extension JournalFile {
    /// A file that was opened.
    struct Opened {
        let connection: SQLiteConnection
        let header: JournalHeader
        var isTailMissing = false
    }

    /// Opens the file, or makes it.
    func open(_ mode: SQLiteStore.Mode) throws(JournalError) -> Opened {
        switch mode {
        case .read: try openForReading()
        case .write(let header, let durability): try openForWriting(header, durability)
        }
    }

    private func openForReading() throws(JournalError) -> Opened {
        guard let status = try status() else { throw inaccessible(ENOENT) }
        guard status.st_size > 0 else {
            throw JournalError(.notAJournal, "`\(given)` is not a journal: it is empty")
        }
        try refuseOthers()
        do {
            // A connection that may write removes at its end the log and the shared memory that it has made, if
            // no other one uses the file. A log that is there already stays as it is: to read changes nothing.
            guard !hasLog, unsafe access(path, W_OK) == 0 else { return try read("mode=ro") }
            return try read("mode=rw", SQLITE_FLAG_READWRITE)
        } catch {
            // Readers share memory beside the file, which a place without space or permission refuses.
            guard case .inaccessible = error.kind, unsafe access(path, R_OK) == 0 else { throw error }
            var opened = try read("immutable=1")
            opened.isTailMissing = hasLog
            return opened
        }
    }

    private func read(
        _ parameter: String, _ mode: Int = SQLITE_FLAG_READONLY
    ) throws(JournalError) -> Opened {
        let connection = try SQLiteConnection(uri(parameter), flags: mode | SQLITE_FLAG_URI, for: self)
        return try Opened(connection: connection, header: header(connection))
    }

    private func openForWriting(
        _ new: JournalHeader?, _ durability: SQLiteStore.Durability
    ) throws(JournalError) -> Opened {
        if let status = try status(), status.st_size > 0 {
            try refuseOthers()
        } else if new == nil {
            throw inaccessible(ENOENT)
        }
        let lock = try JournalLock(of: self)
        if try (status()?.st_size ?? 0) == 0 {
            guard let new else { throw inaccessible(ENOENT) }
            try create(new)
        }
        // Safe because the path is a NUL-terminated copy for the call.
        guard unsafe access(path, R_OK | W_OK) == 0 else { throw inaccessible(errno) }
        let connection = try SQLiteConnection(path, flags: SQLITE_FLAG_READWRITE, for: self)
        let header = try header(connection)
        lock.write(app: header.app)
        do throws(SQLiteFailure) {
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
            connection.takeOverCheckpoints()
            // After a failed sync the log may be whole in memory alone, and the system does not write it again.
            // A copy in the main file is written.
            try connection.emptyLog()
        } catch {
            throw self.error(error, .opening)
        }
        guard let status = try status() else { throw inaccessible(ENOENT) }
        connection.hold(lock, path: path, status)
        return Opened(connection: connection, header: header)
    }

    /// Looks at the main file alone, before a lock, a log or shared memory is made beside it.
    private func refuseOthers() throws(JournalError) {
        do {
            _ = try read("immutable=1")
        } catch {
            switch error.kind {
            // The log may have what is missing, after a crash in a checkpoint or during one.
            case .damaged: return
            default: throw error
            }
        }
    }

    /// Makes a journal beside the path, and moves it there, so that a crash leaves a whole one or none.
    private func create(_ header: JournalHeader) throws(JournalError) {
        guard !hasLog else {
            throw JournalError(
                .inaccessible,
                "`\(given)` cannot be made: `\(logPath)` is the log of another journal, move or remove it")
        }
        try replace(with: header)
    }

    /// Puts a new journal in the place of the file, if there is one.
    ///
    /// - Parameters:
    ///   - fill: adds rows to the new file, within a transaction.
    ///   - prepare: called when the new file is whole, before it gets its name.
    func replace(
        with header: JournalHeader, _ fill: (SQLiteConnection) throws(JournalError) -> Void = { _ in },
        before prepare: () throws(JournalError) -> Void = {}
    ) throws(JournalError) {
        let new = JournalFile(given: given, path: path + "-new")
        // Safe because the calls copy the paths.
        for rest in ["", "-journal", "-wal", "-shm"] { unsafe _ = unlink(new.path + rest) }
        let descriptor = unsafe Glibc.open(new.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotBeMade(errno) }
        close(descriptor)
        do throws(JournalError) {
            try new.make(header, fill)
            try prepare()
            for rest in ["-wal", "-shm"] { unsafe _ = unlink(path + rest) }
            guard unsafe rename(new.path, path) == 0 else { throw cannotBeMade(errno) }
            try sync(folder, O_DIRECTORY)
        } catch {
            for rest in ["", "-journal", "-wal", "-shm"] { unsafe _ = unlink(new.path + rest) }
            throw error
        }
    }

    /// Makes the tables of an empty file, and has `fill` add rows.
    private func make(
        _ header: JournalHeader, _ fill: (SQLiteConnection) throws(JournalError) -> Void
    ) throws(JournalError) {
        let connection = try SQLiteConnection(path, flags: SQLITE_FLAG_READWRITE, for: self)
        do throws(SQLiteFailure) {
            try connection.execute(
                """
                PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL; BEGIN;
                PRAGMA application_id = \(SQLiteFormat.application); PRAGMA user_version = \(SQLiteFormat.version);
                """)
            for table in SQLiteFormat.tables { try connection.execute(table.sql) }
            for (key, value) in header.rows {
                try connection.rows("INSERT INTO meta VALUES('\(key)', ?1)", text: value) { _ in }
            }
        } catch {
            throw self.error(error, .opening)
        }
        try fill(connection)
        do throws(SQLiteFailure) {
            try connection.execute("COMMIT; PRAGMA journal_mode = WAL")
        } catch {
            throw self.error(error, .opening)
        }
    }

    /// Waits until the disk has a file, or the names of a folder.
    func sync(_ path: String, _ flags: Int32 = 0) throws(JournalError) {
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw cannotBeMade(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw cannotBeMade(errno) }
    }

    func cannotBeMade(_ number: Int32) -> JournalError {
        JournalError(.inaccessible, "`\(given)` cannot be made: \(systemText(number))")
    }
}
