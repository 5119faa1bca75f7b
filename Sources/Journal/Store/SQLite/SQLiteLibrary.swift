internal import CSQLite

/// The library of SQLite, which is opened when a journal is named.
public enum SQLiteLibrary {
    /// Opens the library, and says why it cannot be used; nil if it can. May be called from any thread.
    public static var fault: String? {
        // Safe because the reason is a string that lives for ever.
        unsafe sqlite_load().map { unsafe String(cString: $0) }
    }
}
