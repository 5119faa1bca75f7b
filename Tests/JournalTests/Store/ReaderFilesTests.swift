import Foundation
import Journal
import TestSupport
import Testing

/// The files beside a journal, which SQLite makes for readers too.
struct ReaderFilesTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("run.journal").path
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
    }

    /// The number of a file, which another file of its name does not have.
    private func number(_ end: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + end)[.systemFileNumber] as? Int
    }

    private func content(_ end: String = "") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path + end))
    }

    @Test func `a reader of a journal that nobody uses leaves no file behind, and changes none`() throws {
        try SQLiteStore(writing: path).append(3)
        let (before, names) = (try content(), try files())
        let reader = try SQLiteStore(path: path, .read)
        #expect(try reader.chunks().count == 3)
        reader.close()
        #expect(try files() == names)
        #expect(try content() == before)
    }

    @Test func `several readers leave no file behind, whichever ends last`() throws {
        try SQLiteStore(writing: path).append(3)
        let names = try files()
        let (first, second) = (try SQLiteStore(path: path, .read), try SQLiteStore(path: path, .read))
        #expect(try first.chunks().count == 3)
        first.close()
        #expect(try second.chunks().count == 3)
        second.close()
        #expect(try files() == names)
    }

    @Test func `the rest of a reader that was killed is removed by the next one`() throws {
        try SQLiteStore(writing: path).append(3)
        let names = try files()
        try folder.write("run.journal-wal", "")
        #expect(try SQLiteStore(path: path, .read).chunks().count == 3)
        #expect(try files() == names)
    }

    @Test func `the log that a crash has left stays as it is`() throws {
        let writer = try WriterProcess(path, chunks: 5, size: 3_000)
        #expect(try writer.lines(until: "done") == 5)
        writer.kill()
        let (main, log) = (try content(), try content("-wal"))
        for _ in 1...2 { #expect(try SQLiteStore(path: path, .read).wholePrefix().count == 5) }
        #expect(try content() == main && content("-wal") == log)
    }

    @Test func `readers beside a writer never remove its files`() throws {
        // The log is empty while the first readers come.
        let first = try SQLiteStore(writing: path)
        try first.append(1)
        first.close()
        let writer = try WriterProcess(path, chunks: 1_000_000, size: 300)
        _ = try writer.lines(until: "2")
        let (log, memory) = (try number("-wal"), try number("-shm"))
        for _ in 1...50 { #expect(try SQLiteStore(path: path, .read).last() != nil) }
        let acknowledged = try writer.lines(until: "300")
        #expect(try number("-wal") == log && number("-shm") == memory)
        writer.kill()
        #expect(try SQLiteStore(writing: path).wholePrefix().count >= acknowledged)
    }

    @Test func `a reader of a file that has another name now removes nothing of the new journal`() throws {
        try SQLiteStore(writing: path).append(3)
        let reader = try SQLiteStore(path: path, .read)
        #expect(try reader.chunks().count == 3)
        // Safe because the paths are NUL-terminated copies for the call.
        #expect(unsafe rename(path, folder.url("old.journal").path) == 0)
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        let next = try SQLiteStore(writing: path)
        try next.append(2)
        let log = try number("-wal")
        reader.close()
        #expect(try number("-wal") == log)
        try next.append(1)
        #expect(try SQLiteStore(path: path, .read).chunks().count == 3)
        withExtendedLifetime(next) {}
    }

    @Test func `a file that must not be written is read without a file beside it`() throws {
        try SQLiteStore(writing: path).append(3)
        let copy = folder.url("place/run.journal").path
        try FileManager.default.createDirectory(
            at: folder.url("place"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o500], ofItemAtPath: folder.url("place").path)
        #expect(try SQLiteStore(path: copy, .read).chunks().count == 3)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url("place").path) == ["run.journal"])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: folder.url("place").path)
    }
}
