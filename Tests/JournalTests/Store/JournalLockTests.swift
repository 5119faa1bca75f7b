import Foundation
import Journal
import TestSupport
import Testing

struct JournalLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("run.journal").path
    }

    @Test func secondWriter_learnsWhoIsTheFirst_untilThatEnds() throws {
        var first: SQLiteStore? = try SQLiteStore(writing: path)
        let message = JournalError(
            .inUse,
            "`\(path)` is in use by process \(ProcessInfo.processInfo.processIdentifier) (app `levels`)")
        #expect(failure { () throws(JournalError) in _ = try SQLiteStore(writing: path) } == message)
        try first?.append(1)
        first = nil
        try SQLiteStore(writing: path).append(1)
    }

    @Test func link_locksTheFileThatItNames() throws {
        let (link, other) = (folder.url("link").path, folder.url("other").path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "other")
        // The link names a file that is still to be made.
        let store = try SQLiteStore(writing: link)
        try store.append(1)
        for name in [link, other] {
            #expect(failure { () throws(JournalError) in _ = try SQLiteStore(writing: name) }?.kind == .inUse)
        }
        #expect(FileManager.default.fileExists(atPath: other + "-lock"))
        #expect(!FileManager.default.fileExists(atPath: link + "-lock"))
    }

    @Test func writer_inAnotherProcess_isNamed_andItsLockEndsWithIt() throws {
        let writer = try WriterProcess(path, chunks: 2)
        #expect(try writer.lines(until: "done") == 2)
        #expect(
            failure { () throws(JournalError) in _ = try SQLiteStore(writing: path) }
                == JournalError(.inUse, "`\(path)` is in use by process \(writer.id) (app `levels`)"))
        #expect(try SQLiteStore(path: path, .read).chunks().count == 2)
        writer.kill()
        try SQLiteStore(writing: path).append(1)
    }

    @Test func linkInPlaceOfTheLock_isRefused() throws {
        try FileManager.default.createSymbolicLink(atPath: path + "-lock", withDestinationPath: "/etc/passwd")
        #expect(
            failure { () throws(JournalError) in _ = try SQLiteStore(writing: path) }?.kind == .inaccessible)
    }

    @Test func localDisk_hasLocks() throws {
        #expect(try !SQLiteStore(writing: path).hasUnreliableLocks)
    }
}
