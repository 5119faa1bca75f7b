import Foundation
import Journal
import TestSupport
import Testing

/// Processes that end while they append, and system calls that fail.
@Suite(.serialized) struct CrashTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["off", "full"]) func killedWriter_losesNothingThatItAcknowledged(durability: String)
        throws
    {
        var generator = SeededGenerator(seed: 22)
        let path = folder.url("run.journal").path
        var before: UInt64 = 0
        for _ in 0..<10 {
            let writer = try WriterProcess(path, durability: durability, chunks: 1_000_000, size: 3_000)
            // A writer that counts on has begun to append.
            let target = before + UInt64.random(in: 1...500, using: &generator)
            _ = try writer.lines(until: String(target))
            writer.kill()
            let acknowledged = max(target, try writer.lines(until: nil))
            let chunks = try SQLiteStore(path: path, .read).wholePrefix()
            #expect(UInt64(chunks.count) >= acknowledged)
            before = try #require(SQLiteStore(writing: path).last()?.number)
            #expect(before == UInt64(chunks.count))
        }
    }

    /// After a failed sync the system may have the log in memory alone, and never write it.
    @Test func log_ofAWriterThatCrashed_isInTheMainFile_whenTheNextOneHasOpenedIt() throws {
        let path = folder.url("run.journal").path
        let writer = try WriterProcess(path, chunks: 5, size: 3_000)
        #expect(try writer.lines(until: "done") == 5)
        writer.kill()
        let log = folder.url("run.journal-wal")
        #expect(try !Data(contentsOf: log).isEmpty)
        let store = try SQLiteStore(writing: path)
        #expect(try Data(contentsOf: log).isEmpty)
        #expect(store.wholePrefix().count == 5)
    }

    @Test func library_isNotMapped_beforeAJournalIsOpened() throws {
        let output = try run(folder.url("run.journal").path, chunks: 0).output
        #expect(output == "mapped before: false\nmapped after: true\ndone\n")
    }

    @Test func missingLibrary_isNamedWithItsPackage() throws {
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <string.h>
            void *dlopen(const char *name, int flags) {
                void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
                return next(name && strstr(name, "sqlite") ? "libnothing.so.0" : name, flags);
            }
            """
        let preload = try CCompiler().sharedObject(source, in: folder, as: "nothing.so")
        let output = try run(folder.url("run.journal").path, chunks: 1, ["LD_PRELOAD": preload]).output
        #expect(
            output == """
                mapped before: false
                noLibrary: a journal needs SQLite: install libsqlite3-0 (libnothing.so.0: cannot open shared \
                object file: No such file or directory)

                """)
    }

    @Test(arguments: [ENOSPC, EIO])
    func failedCall_endsTheStore_andKeepsWhatWasAcknowledged(error: Int32) throws {
        try failEachCall(error, chunks: 3, size: 3_000)
    }

    /// The chunks are so large that the store makes a checkpoint.
    @Test func failedSync_ofACheckpoint_endsTheStore_andKeepsWhatWasAcknowledged() throws {
        try failEachCall(EIO, isSync: true, chunks: 5, size: 1 << 20)
    }

    /// Fails the first call of a kind in a process, the second one in the next, and so on to the last.
    private func failEachCall(_ error: Int32, isSync: Bool = false, chunks: Int, size: Int) throws {
        let calls = try FailingCalls(in: folder)
        var ends = 0
        for count in 1...200 {
            let path = folder.url("\(count).journal").path
            let outcome = try run(
                path, chunks: chunks, size: size, calls.environment(at: count, error, isSync: isSync))
            #expect(outcome.status == 0)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            let acknowledged = lines.compactMap { Int($0) }.last ?? 0
            if lines.contains(where: { $0.hasPrefix("notDurable: `\(path)` could not be written: ") }) {
                #expect(lines.contains("again notDurable"))
                ends += 1
            } else if acknowledged < chunks {
                #expect(lines.contains { $0.hasPrefix("inaccessible: ") })
            }
            #expect(!lines.contains("appended"))
            let store = try SQLiteStore(writing: path)
            #expect(store.wholePrefix().count >= acknowledged)
            try store.append(1)
            #expect(store.wholePrefix().count > acknowledged)
            if let place = lines.firstIndex(of: "failed") {
                // SQLite makes up for other calls that fail, and a close has nothing more to say.
                let isHidden = isSync && lines[place...].contains(String(chunks))
                #expect(!isHidden, "sync \(count) failed, and the store did not say so")
                continue
            }
            // The process makes fewer calls.
            #expect(acknowledged == chunks)
            #expect(ends > 3)
            return
        }
        Issue.record("the process makes more than 200 calls")
    }

    @Test func fileThatMustNotGrow_endsTheStore_andKeepsWhatWasAcknowledged() throws {
        let path = folder.url("run.journal").path
        let outcome = try Shell.run(
            "sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 400; exec \"$@\"", "sh", WriterProcess.program, path, "full",
                "1000", "3000",
            ])
        let lines = outcome.output.split(separator: "\n")
        let acknowledged = lines.compactMap { Int($0) }.last ?? 0
        #expect(acknowledged > 10)
        #expect(lines.contains("notDurable: `\(path)` could not be written: file too large"))
        #expect(lines.contains("again notDurable"))
        #expect(try SQLiteStore(writing: path).wholePrefix().count >= acknowledged)
    }

    private func run(
        _ path: String, chunks: Int, size: Int = 20, _ environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
        try Shell.run(
            WriterProcess.program, [path, "full", String(chunks), String(size)], environment: environment)
    }
}
