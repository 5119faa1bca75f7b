import Foundation
import Journal
import TestSupport
import Testing

struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("run.journal").path
    }

    /// What `sqlite3` prints for a statement.
    private func sql(_ statement: String, _ file: String? = nil) throws -> String {
        try Shell.run("sqlite3", [file ?? path, statement]).output
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
    }

    @Test func newFile_isAJournalOfFormat1_forItsUserAlone() throws {
        try SQLiteStore(writing: path, .full).append(1)
        #expect(
            try sql(
                """
                PRAGMA application_id; PRAGMA user_version; PRAGMA page_size; PRAGMA auto_vacuum;
                PRAGMA journal_mode; PRAGMA integrity_check
                """) == "1397770574\n1\n4096\n2\nwal\nok\n")
        #expect(try files() == ["run.journal", "run.journal-lock"])
        for file in try files() {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.url(file).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func reopenedFile_hasItsContent_andTheHeaderOfItsFirstOpening() throws {
        try SQLiteStore(writing: path).append(3)
        let other = JournalHeader(id: "other", app: "door", created: 2)
        let store = try SQLiteStore(path: path, .write(create: other, durability: .full))
        #expect(store.header == .levels)
        try store.append(1)
        #expect(try store.chunks().map(\.number) == [1, 2, 3, 4])
        #expect(store.wholePrefix().count == 4)
    }

    @Test func reader_seesWhatAnotherStoreAppends() throws {
        let writer = try SQLiteStore(writing: path)
        let reader = try SQLiteStore(path: path, .read)
        #expect(!reader.isTailMissing)
        for number in 1...3 as ClosedRange<UInt64> {
            try writer.append(1)
            #expect(try reader.last()?.number == number)
        }
        let error = failure { () throws(JournalError) in try reader.append(1) }
        #expect(
            error == JournalError(.inaccessible, "`\(path)` cannot be written: it was opened for reading"))
    }

    @Test func emptyFile_becomesAJournal_andIsNoneForAReader() throws {
        try folder.write("run.journal", "")
        #expect(
            failure { () throws(JournalError) in _ = try SQLiteStore(path: path, .read) }
                == JournalError(.notAJournal, "`\(path)` is not a journal: it is empty"))
        try SQLiteStore(writing: path).append(1)
        #expect(try SQLiteStore(path: path, .read).chunks().count == 1)
    }

    @Test func otherFiles_areRefused_andNotChanged() throws {
        let texts = ["x", String(repeating: "not a database\n", count: 1_000), "SQLite format 3\0"]
        var cases = try texts.enumerated().map { try folder.write("text\($0)", $1) }
        for (index, mode) in ["delete", "wal"].enumerated() {
            cases.append(folder.url("database\(index)").path)
            _ = try sql("PRAGMA journal_mode = \(mode); CREATE TABLE chunk(number)", cases.last)
        }
        let before = try files()
        for file in cases {
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            for mode in [SQLiteStore.Mode.read, .write(create: .levels, durability: .full)] {
                let error = failure { () throws(JournalError) in _ = try SQLiteStore(path: file, mode) }
                #expect(error?.kind == .notAJournal && error?.description.contains(file) == true)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == content)
            #expect(try files() == before)
        }
    }

    @Test func newerFormat_isNamedWithItsWriter() throws {
        try SQLiteStore(writing: path).append(1)
        _ = try sql("PRAGMA user_version = 7")
        for mode in [SQLiteStore.Mode.read, .write(create: .levels, durability: .full)] {
            #expect(
                failure { () throws(JournalError) in _ = try SQLiteStore(path: path, mode) }
                    == JournalError(
                        .newer,
                        "`\(path)` was written by `spinhost 1.0` in format 7, and this version reads format 1"
                    ))
        }
    }

    @Test(arguments: [
        ("CREATE TRIGGER t AFTER INSERT ON chunk BEGIN DELETE FROM chunk; END", "tables are not a journal's"),
        ("CREATE VIEW v AS SELECT 1", "tables are not a journal's"),
        ("DROP TABLE snapshot", "tables are not a journal's"),
        ("UPDATE meta SET value = 'door' WHERE key = 'app'", "header is not what was written"),
    ]) func changedTables_areDamage(statement: String, text: String) throws {
        try SQLiteStore(writing: path).append(1)
        _ = try sql(statement)
        #expect(
            failure { () throws(JournalError) in try SQLiteStore(writing: path).append(1) }
                == JournalError(.damaged(position: 0), "`\(path)` is damaged: its \(text)"))
    }

    @Test func tableOfAnotherTool_isAllowed() throws {
        try SQLiteStore(writing: path).append(1)
        _ = try sql("CREATE TABLE _litestream_seq(id INTEGER PRIMARY KEY, seq INTEGER)")
        try SQLiteStore(writing: path).append(1)
    }

    @Test func places_thatHaveNoFile_areInaccessible() throws {
        let write = SQLiteStore.Mode.write(create: .levels, durability: .off)
        let missing = folder.url("no/run.journal").path
        let folderPath = folder.root.path
        try folder.write("file", "")
        let cases: [(String, SQLiteStore.Mode, String)] = [
            (path, .read, "no such file or directory"),
            (path, .write(create: nil, durability: .off), "no such file or directory"),
            (missing, .read, "no such file or directory"), (missing, write, "no such file or directory"),
            (folderPath, .read, "is a directory"), (folderPath, write, "is a directory"),
            ("/dev/null", write, "not a regular file"),
            (folder.url("file/run.journal").path, write, "not a directory"),
        ]
        for (path, mode, reason) in cases {
            #expect(
                failure { () throws(JournalError) in _ = try SQLiteStore(path: path, mode) }
                    == JournalError(.inaccessible, "`\(path)` cannot be opened: \(reason)"))
        }
        #expect(try files() == ["file"])
    }

    @Test func restOfAnInterruptedStart_isRemoved() throws {
        for end in ["-new", "-new-journal", "-new-wal"] { try folder.write("run.journal" + end, "half") }
        try SQLiteStore(writing: path).append(1)
        #expect(try files() == ["run.journal", "run.journal-lock"])
    }

    @Test func logWithoutItsJournal_isKept() throws {
        try folder.write("run.journal-wal", "something")
        let error = failure { () throws(JournalError) in _ = try SQLiteStore(writing: path) }
        #expect(error?.kind == .inaccessible)
        #expect(error?.description.contains("is the log of another journal") == true)
        #expect(try String(contentsOf: folder.url("run.journal-wal"), encoding: .utf8) == "something")
    }

    @Test func nameWithSpecialCharacters_isTakenAsItIs() throws {
        let path = folder.url("a?mode=memory#% ü.journal").path
        try SQLiteStore(writing: path).append(2)
        #expect(try SQLiteStore(path: path, .read).chunks().count == 2)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func removedFile_endsTheStore() throws {
        let store = try SQLiteStore(writing: path)
        try store.append(1)
        try FileManager.default.removeItem(atPath: path)
        let gone = JournalError(.notDurable, "`\(path)` could not be written: the file was removed")
        #expect(failure { () throws(JournalError) in try store.append(1) } == gone)
        try folder.write("run.journal", "")
        #expect(failure { () throws(JournalError) in try store.append(1) } == gone)
    }

    @Test func replacedFile_endsTheStore() throws {
        let store = try SQLiteStore(writing: path)
        try folder.write("other", "x")
        // Safe because the paths are NUL-terminated copies for the call.
        #expect(unsafe rename(folder.url("other").path, path) == 0)
        #expect(failure { () throws(JournalError) in try store.append(1) }?.kind == .notDurable)
        withExtendedLifetime(store) {}
    }

    @Test func longLog_isCopiedToTheFile() throws {
        let store = try SQLiteStore(writing: path)
        try store.append(200, size: 100_000)
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        #expect(log > 0 && log < 6_000_000)
    }

    /// Linux releases all locks of a process on a file when the process closes it once.
    @Test func readersThatEnd_leaveTheLocksOfTheWriter_inTheSameProcess() throws {
        let store = try SQLiteStore(writing: path)
        try store.append(1)
        #expect(try SQLiteStore(path: path, .read).chunks().count == 1)
        try SQLiteStore(path: path, .read).backup(to: folder.url("copy").path)
        #expect(failure { () throws(JournalError) in _ = try SQLiteStore(writing: path) }?.kind == .inUse)
        // Another program that ends would remove the log if it could lock the file.
        #expect(try sql("SELECT count(*) FROM chunk") == "1\n")
        try store.append(1)
        #expect(try files().contains("run.journal-wal"))
        #expect(try sql("SELECT count(*) FROM chunk") == "2\n")
    }

    @Test func backup_whileAnotherProcessWrites_isAWholePrefix() throws {
        let writer = try WriterProcess(path, durability: "off", chunks: 1_000_000, size: 2_000)
        for round in 1...5 as ClosedRange<UInt64> {
            let acknowledged = try writer.lines(until: String(round * 50))
            let copy = folder.url("copy\(round)").path
            try SQLiteStore(path: path, .read).backup(to: copy)
            let copied = try SQLiteStore(path: copy, .read)
            #expect(UInt64(copied.wholePrefix().count) >= acknowledged)
            #expect(try copied.size().chunks == copied.wholePrefix().count)
        }
        writer.kill()
    }

    @Test func threads_useOneStoreAtOnce() async throws {
        let store = try SQLiteStore(writing: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try store.append(300, size: 3_000) }
            for _ in 0..<3 {
                group.addTask {
                    var count = 0
                    while count < 300 {
                        let chunks = store.wholePrefix()
                        #expect(chunks.count >= count)
                        count = chunks.count
                        _ = try store.chunk(holding: UInt64(count))
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func prune_makesTheFileSmaller() throws {
        let store = try SQLiteStore(writing: path)
        try store.append(50, size: 100_000)
        try store.prune(upTo: 49)
        try store.append(50, size: 1)
        #expect(try sql("PRAGMA freelist_count") == "0\n")
        #expect(Int(try sql("PRAGMA page_count").dropLast()) ?? .max < 40)
    }

    @Test func backup_isAWholeJournal_withoutALog() throws {
        let store = try SQLiteStore(writing: path)
        try store.append(5, size: 5_000)
        try store.put(Snapshot(after: try store.chunks()[3], bytes: [1]))
        let copy = folder.url("copy").path
        try SQLiteStore(path: path, .read).backup(to: copy)
        try store.append(1)
        let copied = try SQLiteStore(path: copy, .read)
        #expect(copied.header == .levels && copied.wholePrefix().count == 5)
        #expect(try copied.snapshots() == [4])
        try SQLiteStore(writing: copy).append(1)
        #expect(
            failure { () throws(JournalError) in try store.backup(to: copy) }
                == JournalError(.inaccessible, "`\(copy)` cannot be made: file exists"))
        let missing = folder.url("no/copy").path
        #expect(failure { () throws(JournalError) in try store.backup(to: missing) }?.kind == .inaccessible)
    }
}
