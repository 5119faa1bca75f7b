import Glibc

extension SQLiteStore {
    /// Replaces the journal by a new file with its first chunks, and closes the store.
    ///
    /// The old file keeps all that it has, under another name. A crash leaves the old file or the new one in its
    /// place, never none.
    ///
    /// - Parameters:
    ///   - number: the last chunk of the new file.
    ///   - name: the path of the old file from now on. No file has it.
    /// - Throws: `.inaccessible` when the new file cannot be made or the old one cannot be kept; `.damaged` when
    ///   SQLite cannot read one of the first chunks.
    public func leave(after number: UInt64, keepingAs name: String) throws(JournalError) {
        var lock: JournalLock?
        defer { withExtendedLifetime(lock) {} }
        try file.replace(with: header) { connection throws(JournalError) in
            try self.copy(upTo: number, to: connection)
        } before: { () throws(JournalError) in
            lock = self.closeKeepingLock()
            try self.file.keep(as: name)
        }
    }

    private func copy(upTo number: UInt64, to connection: SQLiteConnection) throws(JournalError) {
        try read(from: 1) { chunk throws(JournalError) in
            guard chunk.number <= number else { return false }
            try file.filling { () throws(SQLiteFailure) in try connection.put(chunk, .copy) }
            return true
        }
        for place in try readableSnapshots() where place <= number {
            guard let snapshot = try snapshot(upTo: place, { $0.chunk.number == place && $0.isWhole }) else {
                continue
            }
            try file.filling { () throws(SQLiteFailure) in try connection.put(snapshot) }
        }
    }
}

extension JournalFile {
    /// Writes to a new file that is to have the name of this one.
    fileprivate func filling(_ body: () throws(SQLiteFailure) -> Void) throws(JournalError) {
        do throws(SQLiteFailure) { try body() } catch {
            throw JournalError(.inaccessible, "`\(given)` cannot be made: \(error.text)")
        }
    }

    /// Gives the file a second name, which it keeps when another file takes its place.
    fileprivate func keep(as name: String) throws(JournalError) {
        // Safe because the paths are borrowed for the calls.
        guard unsafe link(path, name) != 0 else { return }
        // Some file systems have no second names.
        guard [EPERM, ENOTSUP, EMLINK].contains(errno), unsafe rename(path, name) == 0 else {
            throw JournalError(.inaccessible, "`\(given)` cannot be kept as `\(name)`: \(systemText(errno))")
        }
    }
}
