import Foundation
import Journal
import TestSupport
import Testing

/// Files that were cut, or have changed bytes. Reading gives a prefix of what was written, or an error.
struct DamageTests {
    private let folder: TemporaryFolder
    private let path: String
    private let written: [Chunk]
    private let main: Data
    private let log: Data

    /// A journal whose last chunks are in the log alone.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("run.journal").path
        try SQLiteStore(writing: path).append(3, size: 300)
        let store = try SQLiteStore(writing: path)
        try store.put(Snapshot(after: try store.chunks()[1], bytes: [1, 2, 3]))
        try store.append(2)
        written = try store.chunks()
        main = try Data(contentsOf: URL(fileURLWithPath: path))
        log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    }

    /// The chunks of a journal with these files; nil if it cannot be opened.
    private func chunks(_ main: Data, _ log: Data, _ mode: SQLiteStore.Mode = .read) throws -> [Chunk]? {
        let copy = folder.url("copy.journal").path
        for end in ["-shm", "-lock"] { try? FileManager.default.removeItem(atPath: copy + end) }
        try main.write(to: URL(fileURLWithPath: copy))
        try log.write(to: URL(fileURLWithPath: copy + "-wal"))
        guard let store = try? SQLiteStore(path: copy, mode) else { return nil }
        _ = try? store.snapshot(upTo: .max) { $0.isWhole }
        _ = try? store.chunk(holding: 3)
        _ = try? (store.last(), store.size())
        return store.wholePrefix()
    }

    @Test func log_cutAnywhere_givesAPrefix() throws {
        var counts: Set<Int> = []
        for size in stride(from: 0, through: log.count, by: 7) {
            let chunks = try #require(try chunks(main, log.prefix(size)))
            #expect(written.starts(with: chunks))
            counts.insert(chunks.count)
        }
        #expect(counts.isSuperset(of: [3, 4]))
        #expect(try chunks(main, log) == written)
    }

    @Test func log_changedAnywhere_givesAPrefix() throws {
        for index in stride(from: 0, to: log.count, by: 7) {
            var changed = log
            changed[index] ^= 0x41
            let chunks = try #require(try chunks(main, changed))
            #expect(written.starts(with: chunks))
        }
    }

    @Test func file_changedAnywhere_givesAPrefix_orAnError() throws {
        var whole = 0
        for index in stride(from: 0, to: main.count, by: 5) {
            var changed = main
            changed[index] ^= 0x41
            guard let chunks = try chunks(changed, Data()) else { continue }
            #expect(written.starts(with: chunks))
            if chunks.count == 3 { whole += 1 }
        }
        #expect(whole > 0)
    }

    @Test func file_cutAnywhere_givesAPrefix_orAnError() throws {
        for size in stride(from: 0, to: main.count, by: 61) {
            guard let chunks = try chunks(main.prefix(size), Data()) else { continue }
            #expect(written.starts(with: chunks))
        }
    }

    @Test func changedFiles_openedForWriting_giveAPrefix_orAnError() throws {
        let mode = SQLiteStore.Mode.write(create: nil, durability: .off)
        for index in stride(from: 0, to: main.count + log.count, by: 97) {
            var (file, rest) = (main, log)
            if index < main.count { file[index] ^= 0x41 } else { rest[index - main.count] ^= 0x41 }
            guard let chunks = try chunks(file, rest, mode) else { continue }
            #expect(written.starts(with: chunks))
        }
        #expect(try chunks(main, log, mode) == written)
    }

    @Test func damagedChunk_endsTheRead_afterTheChunksBefore() throws {
        let path = folder.url("long.journal").path
        try SQLiteStore(writing: path).append(20, size: 20_000)
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        let middle = try #require(file.range(of: Data(repeating: 10, count: 4_000)))
        // The number of the next page begins each overflow page.
        let page = middle.lowerBound / 4_096 * 4_096 + 4_096
        file.replaceSubrange(page..<page + 4, with: [0xff, 0xff, 0xff, 0xff])
        try file.write(to: URL(fileURLWithPath: path))
        let store = try SQLiteStore(path: path, .read)
        var read: [Chunk] = []
        let error = failure { () throws(JournalError) in
            try store.read(from: 1) { chunk in
                read.append(chunk)
                return true
            }
        }
        #expect(read.map(\.number) == Array(1...9))
        #expect(
            error
                == JournalError(
                    .damaged(position: 19), "`\(path)` is damaged: database disk image is malformed"))
    }

    @Test func damagedSnapshot_givesTheOneBefore() throws {
        let path = folder.url("long.journal").path
        let store = try SQLiteStore(writing: path)
        try store.append(2)
        let chunks = try store.chunks()
        try store.put(Snapshot(after: chunks[0], bytes: [1]))
        try store.put(Snapshot(after: chunks[1], bytes: [UInt8](repeating: 9, count: 20_000)))
        let copy = folder.url("copy.journal").path
        try store.backup(to: copy)
        var file = try Data(contentsOf: URL(fileURLWithPath: copy))
        let middle = try #require(file.range(of: Data(repeating: 9, count: 4_000)))
        let page = middle.lowerBound / 4_096 * 4_096 + 4_096
        file.replaceSubrange(page..<page + 4, with: [0xff, 0xff, 0xff, 0xff])
        try file.write(to: URL(fileURLWithPath: copy))
        let damaged = try SQLiteStore(path: copy, .read)
        #expect(try damaged.snapshots() == [1, 2])
        #expect(try damaged.snapshot(upTo: .max) { $0.isWhole }?.chunk.number == 1)
    }

    @Test func placeWithoutSpaceForReaders_showsTheMainFile() throws {
        // SQLite follows no link to shared memory, so it cannot make any.
        let copy = folder.url("copy.journal").path
        try main.write(to: URL(fileURLWithPath: copy))
        try log.write(to: URL(fileURLWithPath: copy + "-wal"))
        try FileManager.default.createSymbolicLink(atPath: copy + "-shm", withDestinationPath: "nothing")
        let store = try SQLiteStore(path: copy, .read)
        #expect(store.isTailMissing)
        #expect(try store.chunks() == Array(written.prefix(3)))
    }
}
