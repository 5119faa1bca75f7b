import CSQLite
import Glibc

/// An error of SQLite.
struct SQLiteFailure: Error {
    /// Its exact code.
    let code: Int32
    /// The error number of the system call that failed; 0 if none did.
    var system: Int32 = 0
    /// SQLite's words.
    let reason: String

    /// The code without the details.
    var kind: Int { Int(code & 0xff) }

    /// For people: the system's reason if a system call failed, else SQLite's.
    var text: String {
        switch kind {
        case SQLITE_CODE_FULL: systemText(ENOSPC)
        case SQLITE_CODE_IOERR, SQLITE_CODE_CANTOPEN: system == 0 ? reason : systemText(system)
        default: reason
        }
    }
}

/// The C library's text for an error number, with a small first letter.
func systemText(_ number: Int32) -> String {
    // Safe because the call gets the buffer's size, and leaves a NUL-terminated string in it.
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        unsafe strerror_r(number, buffer.baseAddress!, buffer.count)
        return unsafe String(cString: buffer.baseAddress!)
    }
    guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
    return first.lowercased() + text.dropFirst()
}

extension JournalFile {
    /// What was to be done when SQLite failed.
    enum Action {
        case opening, reading(position: UInt64), writing, copying(to: String), exporting
    }

    /// What an error of SQLite means for the journal.
    func error(_ failure: SQLiteFailure, _ action: Action) -> JournalError {
        let (text, path) = (failure.text, given)
        if case .writing = action {
            return JournalError(.notDurable, "`\(path)` could not be written: \(text)")
        }
        switch failure.kind {
        case SQLITE_CODE_NOTADB:
            return JournalError(.notAJournal, "`\(path)` is not a journal: \(text)")
        case SQLITE_CODE_CORRUPT:
            guard case .reading(let position) = action else {
                return JournalError(.damaged(position: 0), "`\(path)` is damaged: \(text)")
            }
            return JournalError(.damaged(position: position), "`\(path)` is damaged: \(text)")
        case SQLITE_CODE_BUSY, SQLITE_CODE_LOCKED:
            return JournalError(.inUse, "`\(path)` is locked by another process: \(text)")
        default:
            let verb =
                switch action {
                case .opening: "opened"
                case .reading: "read"
                case .writing: "written"
                case .exporting: "written"
                case .copying(let target): "copied to `\(target)`"
                }
            return JournalError(.inaccessible, "`\(path)` cannot be \(verb): \(text)")
        }
    }
}
