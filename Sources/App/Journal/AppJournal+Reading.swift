public import Journal

extension AppJournal {
    /// Reads the journal while the app runs, with all that it has done so far. Waits for a commit, so it must not be
    /// called on the thread of a loop.
    ///
    /// - Throws: `JournalError` when the journal cannot be read, or what `body` throws.
    public func read<Result>(_ body: (JournalReader) throws -> Result) throws -> Result {
        // A journal that has failed can still be read up to its last commit.
        _ = writer.flush()
        let store = try reading()
        defer { store.close() }
        return try body(JournalReader(store))
    }
}
