import CSQLite
import Glibc

extension SQLiteStore {
    /// Writes a copy of the journal to a new file, with all that was acknowledged before the call.
    ///
    /// Other processes and this one may write meanwhile. The copy is one file without a log, whole and on the
    /// disk when the call returns.
    ///
    /// - Throws: `.inaccessible` when the target exists already, or cannot be written. A part of a copy is removed.
    public func backup(to path: String) throws(JournalError) {
        let target = try JournalFile(path)
        // Safe because the calls copy the path.
        let descriptor = unsafe open(target.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JournalError(.inaccessible, "`\(path)` cannot be made: \(systemText(errno))")
        }
        _ = Glibc.close(descriptor)
        do throws(JournalError) {
            // A connection of its own, as the writer must not wait until all is copied.
            let source = try file.open(.read)
            do throws(SQLiteFailure) {
                try source.connection.rows("VACUUM INTO ?1", text: target.path) { _ in }
            } catch {
                throw file.error(error, .copying(to: path))
            }
            try target.sync(target.path)
            try target.sync(target.folder, O_DIRECTORY)
        } catch {
            unsafe _ = unlink(target.path)
            throw error
        }
    }
}
