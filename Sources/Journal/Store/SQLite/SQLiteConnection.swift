import CSQLite
import Glibc

/// One connection to a database, and its prepared statements. One thread at a time may use it.
@safe final class SQLiteConnection {
    // Safe because only this object has the connection and its statements, and closes them once.
    private let handle: OpaquePointer
    private var statements: [OpaquePointer?]
    /// By their text.
    private var insertions: [String: OpaquePointer] = unsafe [:]
    /// The number of pages in the log after the last commit, which SQLite writes to.
    private let frames: UnsafeMutablePointer<Int32>
    /// The lock of the file; it is released after the connection is closed.
    private var held: (lock: JournalLock, path: String, device: dev_t, number: ino_t)?

    /// Opens a file. SQLite reads it with the first statement.
    ///
    /// - Throws: `.noLibrary` without libsqlite3, and what the file's error means for opening.
    init(_ name: String, flags: Int, for file: JournalFile) throws(JournalError) {
        if let fault = SQLiteLibrary.fault {
            throw JournalError(.noLibrary, "a journal needs SQLite: install libsqlite3-0 (\(fault))")
        }
        var opened: OpaquePointer?
        // Safe because the call copies the name, and sets the connection unless memory is short.
        let code = unsafe sqlite_open_v2(name, &opened, Int32(flags | SQLITE_FLAG_NOMUTEX))
        guard let opened = unsafe opened else {
            throw file.error(SQLiteFailure(code: code, reason: "out of memory"), .opening)
        }
        unsafe handle = opened
        unsafe statements = [OpaquePointer?](repeating: nil, count: SQLiteQuery.allCases.count)
        // Safe because `deinit` frees the number after the connection, which alone writes to it.
        unsafe frames = .allocate(capacity: 1)
        unsafe frames.initialize(to: 0)
        guard code == SQLITE_CODE_OK else { throw file.error(failure(code), .opening) }
        unsafe sqlite_busy_timeout(handle, Self.busyTimeout)
    }

    deinit {
        // Safe because nothing uses them after this.
        for index in unsafe statements.indices { unsafe sqlite_finalize(statements[index]) }
        unsafe insertions.values.forEach { unsafe _ = sqlite_finalize($0) }
        unsafe sqlite_close_v2(handle)
        unsafe frames.deallocate()
    }

    /// How long a statement waits for the locks of other connections: milliseconds.
    private static let busyTimeout: Int32 = 5_000

    /// Executes statements that have no parameters, to their end.
    func execute(_ sql: String) throws(SQLiteFailure) {
        // Safe because the call reads the NUL-terminated text alone.
        try check(unsafe sqlite_exec(handle, sql))
    }

    /// The number in the first column of the first row.
    func number(_ sql: String) throws(SQLiteFailure) -> Int64 {
        var number: Int64 = 0
        try rows(sql) { row in number = row.number(0) }
        return number
    }

    /// Executes a statement that is used once.
    func rows(_ sql: String, text: String? = nil, _ body: (SQLiteRow) -> Void) throws(SQLiteFailure) {
        let statement = unsafe try prepare(sql)
        // Safe because the statement is this function's own, and ends before the text does.
        defer { unsafe _ = sqlite_finalize(statement) }
        let code = unsafe (text ?? "").withCString { text -> Int32 in
            if sql.contains("?1") { unsafe sqlite_bind_text(statement, 1, text) }
            return unsafe step(statement) {
                body($0)
                return true
            }
        }
        try check(code)
    }

    /// Executes a prepared statement with numbers as its first parameters, and bytes as the one after.
    ///
    /// - Parameter body: gets each row, until it returns false.
    func run(
        _ query: SQLiteQuery, _ numbers: [Int64], bytes: [UInt8]? = nil,
        _ body: (SQLiteRow) -> Bool = { _ in true }
    ) throws(SQLiteFailure) {
        let statement: OpaquePointer
        if let prepared = unsafe statements[query.rawValue] {
            unsafe statement = prepared
        } else {
            unsafe statement = try prepare(query.sql)
            unsafe statements[query.rawValue] = statement
        }
        // Safe because the statement is reset before the bytes end.
        for (index, number) in numbers.enumerated() {
            unsafe sqlite_bind_int64(statement, Int32(index + 1), number)
        }
        var bound: Int32 = 0
        let code = unsafe (bytes ?? []).withUnsafeBytes { buffer in
            if bytes != nil {
                unsafe bound = sqlite_bind_blob64(
                    statement, Int32(numbers.count + 1), buffer.baseAddress, UInt64(buffer.count))
            }
            return bound == SQLITE_CODE_OK ? unsafe step(statement, body) : bound
        }
        let failure = code == SQLITE_CODE_OK ? nil : failure(code)
        unsafe sqlite_reset(statement)
        if let failure { throw failure }
    }

    /// Executes a statement that has no rows. It is prepared once.
    ///
    /// - Parameter values: its parameters. A text ends before a NUL.
    func insert(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteFailure) {
        let statement: OpaquePointer
        if let prepared = unsafe insertions[sql] {
            unsafe statement = prepared
        } else {
            unsafe statement = try prepare(sql)
            unsafe insertions[sql] = statement
        }
        let texts = values.flatMap { value in
            if case .text(let text) = value { Array(text.utf8.prefix { $0 != 0 }) + [0] } else { [UInt8]() }
        }
        // Safe because the statement is reset before the texts end, and each text lies within them.
        let code = unsafe texts.withUnsafeBytes { texts in
            var offset = 0
            for (index, value) in values.enumerated() {
                switch value {
                case .null: break
                case .number(let number): unsafe sqlite_bind_int64(statement, Int32(index + 1), number)
                case .text:
                    let text = unsafe texts[offset...]
                    let start = unsafe text.withMemoryRebound(to: CChar.self) { $0.baseAddress! }
                    unsafe sqlite_bind_text(statement, Int32(index + 1), start)
                    offset += unsafe text.firstIndex(of: 0)! - offset + 1
                }
            }
            return unsafe step(statement) { _ in true }
        }
        let failure = code == SQLITE_CODE_OK ? nil : failure(code)
        unsafe sqlite_reset(statement)
        if let failure { throw failure }
    }

    /// How many rows the last statement inserted, changed or deleted.
    var changes: Int { unsafe Int(sqlite_changes(handle)) }

    /// From now on the caller makes the checkpoints.
    func takeOverCheckpoints() { unsafe sqlite_count_frames(handle, frames) }

    /// Copies the log to the main file if it has at least so many pages.
    ///
    /// A reader may hold back a part of it. This is no error.
    func checkpoint(from pages: Int32) throws(SQLiteFailure) {
        guard unsafe frames.pointee >= pages else { return }
        try checkpoint(mode: SQLITE_MODE_PASSIVE)
    }

    /// Copies the log to the main file, and empties the log if nobody reads it.
    func emptyLog() throws(SQLiteFailure) {
        unsafe sqlite_busy_timeout(handle, 0)
        defer { unsafe _ = sqlite_busy_timeout(handle, Self.busyTimeout) }
        try checkpoint(mode: SQLITE_MODE_TRUNCATE)
    }

    private func checkpoint(mode: Int) throws(SQLiteFailure) {
        let code = unsafe sqlite_wal_checkpoint_v2(handle, Int32(mode))
        guard code & 0xff != SQLITE_CODE_BUSY else { return }
        try check(code)
    }

    /// Keeps the lock of a file as long as the connection, and remembers which file it is.
    func hold(_ lock: JournalLock, path: String, _ status: stat) {
        held = (lock, path, status.st_dev, status.st_ino)
    }

    /// The lock of the file; nil for a reader.
    var lock: JournalLock? { held?.lock }

    /// Whether the file that is held has its name still.
    var isInPlace: Bool {
        guard let held, let status = JournalFile.status(of: held.path) else { return false }
        return status.st_dev == held.device && status.st_ino == held.number
    }

    /// Has the end of the connection leave all files as they are.
    func leaveFiles() { unsafe _ = sqlite_keep_log(handle) }

    private func prepare(_ sql: String) throws(SQLiteFailure) -> OpaquePointer {
        var statement: OpaquePointer?
        // Safe because the call copies the text.
        let code = unsafe sqlite_prepare_v3(handle, sql, &statement)
        guard code == SQLITE_CODE_OK, let statement = unsafe statement else { throw failure(code) }
        return unsafe statement
    }

    /// `OK` after all rows, or those that `body` wanted; else the code of the error.
    private func step(_ statement: OpaquePointer, _ body: (SQLiteRow) -> Bool) -> Int32 {
        while true {
            let code = unsafe sqlite_step(statement)
            if code == SQLITE_CODE_DONE { return Int32(SQLITE_CODE_OK) }
            guard code == SQLITE_CODE_ROW else { return code }
            guard unsafe body(SQLiteRow(statement: statement)) else { return Int32(SQLITE_CODE_OK) }
        }
    }

    private func check(_ code: Int32) throws(SQLiteFailure) {
        guard code == SQLITE_CODE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> SQLiteFailure {
        // Safe because the texts are copied before the next call.
        unsafe SQLiteFailure(
            code: code, system: sqlite_system_errno(handle), reason: String(cString: sqlite_errmsg(handle)))
    }
}

/// A parameter of a statement.
enum SQLiteValue {
    case null
    case number(Int64)
    case text(String)

    init(_ number: UInt64) { self = .number(Int64(bitPattern: number)) }
}

/// The values of a row, valid while the body runs that gets it.
@safe struct SQLiteRow {
    // Safe because the row lives no longer than the step of its statement.
    fileprivate let statement: OpaquePointer

    func number(_ column: Int32) -> Int64 { unsafe sqlite_column_int64(statement, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        // Safe because the bytes are copied before the next step.
        guard let start = unsafe sqlite_column_blob(statement, column) else { return [] }
        return unsafe [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(sqlite_column_bytes(statement, column))))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
