import Foundation
import Journal
import TestSupport
import Testing

/// A disk that loses what was not synced, in part and in any order, as a disk does that loses its power.
@Suite struct LostPowerTests {
    /// What a process did to one of the files.
    private enum Operation {
        case write(offset: Int, bytes: Data)
        case truncate(Int)
        case remove
    }

    private enum Entry {
        case operation(file: Int, Operation)
        case sync(file: Int)
        case acknowledged(UInt64)
    }

    /// A file on the disk: what is there for good, and what may still be lost.
    private struct File {
        var durable: Data?
        var pending: [Operation] = []

        mutating func sync() {
            for operation in pending { Self.apply(operation, to: &durable) }
            pending = []
        }

        /// What is there after a loss of power: each write arrived, or did not, or did in part.
        func afterLoss(_ generator: inout SeededGenerator) -> Data? {
            var bytes = durable
            for operation in pending {
                switch (operation, Int.random(in: 0..<3, using: &generator)) {
                case (_, 0): continue
                case (.write(let offset, let data), 1):
                    let part = Int.random(in: 0...data.count, using: &generator) / 512 * 512
                    Self.apply(.write(offset: offset, bytes: data.prefix(part)), to: &bytes)
                default: Self.apply(operation, to: &bytes)
                }
            }
            return bytes
        }

        private static func apply(_ operation: Operation, to bytes: inout Data?) {
            switch operation {
            case .write(let offset, let data):
                var file = bytes ?? Data()
                if file.count < offset + data.count { file.count = offset + data.count }
                file.replaceSubrange(offset..<offset + data.count, with: data)
                bytes = file
            case .truncate(let size): bytes?.count = size
            case .remove: bytes = nil
            }
        }
    }

    @Test(arguments: ["full", "off"])
    func `a loss of power leaves a journal that continues, with all that was acknowledged`(durability: String)
        throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.url("run.journal").path
        // The file exists; making it is another matter.
        #expect(try Shell.run(WriterProcess.program, [path, durability, "2", "3000"]).status == 0)
        let base = [try Data(contentsOf: folder.url("run.journal")), nil]
        let trace = folder.url("trace").path
        let preload = try CCompiler().sharedObject(Self.tracing, in: folder, as: "tracing.so")
        let outcome = try Shell.run(
            WriterProcess.program, [path, durability, "450", "20"],
            environment: ["LD_PRELOAD": preload, "TRACE": trace])
        #expect(outcome.status == 0)
        let entries = try Self.entries(of: Data(contentsOf: URL(fileURLWithPath: trace)))
        // The writes of a checkpoint to the main file are among them.
        #expect(entries.contains { if case .sync(0) = $0 { true } else { false } })
        var lost = 0
        for cut in 0..<60 {
            let end = Int.random(in: 0...entries.count, using: &generator)
            var files = base.map { File(durable: $0) }
            var acknowledged: UInt64 = 2
            for entry in entries[..<end] {
                switch entry {
                case .operation(let file, let operation): files[file].pending.append(operation)
                case .sync(let file): files[file].sync()
                case .acknowledged(let number): acknowledged = number
                }
            }
            let place = folder.url("cut").path
            for (file, suffix) in zip(files, ["", "-wal"]) {
                try? FileManager.default.removeItem(atPath: place + suffix)
                try file.afterLoss(&generator)?.write(to: URL(fileURLWithPath: place + suffix))
            }
            let store = try SQLiteStore(writing: place)
            let whole = store.wholePrefix()
            let last = try #require(try store.last()?.number, "seed \(seed), cut \(cut)")
            #expect(UInt64(whole.count) == last, "seed \(seed), cut \(cut)")
            if durability == "full" { #expect(last >= acknowledged, "seed \(seed), cut \(cut)") }
            if last < acknowledged { lost += 1 }
            try store.append(1)
            #expect(store.wholePrefix().count == whole.count + 1, "seed \(seed), cut \(cut)")
        }
        // Without a sync at each commit, the disk does lose some: the test can tell.
        #expect(durability == "full" || lost > 0, "seed \(seed)")
    }

    private static func entries(of trace: Data) -> [Entry] {
        var entries: [Entry] = []
        var place = trace.startIndex
        func number() -> Int {
            defer { place += 8 }
            return trace[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while place < trace.endIndex {
            let kind = trace[place]
            place += 1
            let file = number()
            switch kind {
            case UInt8(ascii: "W"):
                let (offset, size) = (number(), number())
                entries.append(
                    .operation(
                        file: file, .write(offset: offset, bytes: Data(trace[place..<place + size]))))
                place += size
            case UInt8(ascii: "T"): entries.append(.operation(file: file, .truncate(number())))
            case UInt8(ascii: "R"): entries.append(.operation(file: file, .remove))
            case UInt8(ascii: "S"): entries.append(.sync(file: file))
            default: entries.append(.acknowledged(UInt64(file)))
            }
        }
        return entries
    }

    /// Writes each call that changes the journal's file (0) or its log (1), and each acknowledgement, to TRACE.
    private static let tracing = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        static ssize_t (*next_write)(int, const void *, size_t);
        static int number_of(const char *path) {
            const char *end = path ? strstr(path, ".journal") : 0;
            if (!end) return -1;
            return !strcmp(end, ".journal") ? 0 : !strcmp(end, ".journal-wal") ? 1 : -1;
        }
        static int file_of(int descriptor) {
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            ssize_t size = readlink(link, path, sizeof path - 1);
            if (size < 0) return -1;
            path[size] = 0;
            return number_of(path);
        }
        static void put(const void *bytes, size_t size) {
            static int trace = -1;
            if (!next_write) next_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
            if (trace < 0) trace = open(getenv("TRACE"), O_CREAT | O_WRONLY | O_APPEND, 0600);
            if (next_write(trace, bytes, size) != (ssize_t)size) abort();
        }
        static void note(char kind, int64_t first) {
            put(&kind, 1);
            put(&first, 8);
        }
        static void wrote(int file, const void *bytes, int64_t size, int64_t offset) {
            if (file < 0 || size <= 0) return;
            note('W', file);
            put(&offset, 8);
            put(&size, 8);
            put(bytes, size);
        }
        #define CALL(RESULT, NAME, PARAMETERS, ARGUMENTS, NOTE) \\
            RESULT NAME PARAMETERS { \\
                static RESULT (*next) PARAMETERS; \\
                if (!next) next = (RESULT (*) PARAMETERS)dlsym(RTLD_NEXT, #NAME); \\
                RESULT result = next ARGUMENTS; \\
                NOTE; \\
                return result; \\
            }
        #define FOR_FILE(NOTE) do { int file = file_of(descriptor); if (file >= 0 && result == 0) { NOTE; } } while (0)
        CALL(ssize_t, pwrite, (int descriptor, const void *bytes, size_t size, off_t offset),
             (descriptor, bytes, size, offset), wrote(file_of(descriptor), bytes, result, offset))
        CALL(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t size, off64_t offset),
             (descriptor, bytes, size, offset), wrote(file_of(descriptor), bytes, result, offset))
        CALL(int, ftruncate, (int descriptor, off_t size), (descriptor, size),
             FOR_FILE(note('T', file); int64_t to = size; put(&to, 8)))
        CALL(int, ftruncate64, (int descriptor, off64_t size), (descriptor, size),
             FOR_FILE(note('T', file); int64_t to = size; put(&to, 8)))
        CALL(int, fsync, (int descriptor), (descriptor), FOR_FILE(note('S', file)))
        CALL(int, fdatasync, (int descriptor), (descriptor), FOR_FILE(note('S', file)))
        CALL(int, unlink, (const char *path), (path),
             do { int file = number_of(path); if (file >= 0 && result == 0) note('R', file); } while (0))
        ssize_t write(int descriptor, const void *bytes, size_t size) {
            if (!next_write) next_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
            int file = file_of(descriptor);
            if (descriptor == 1 && size > 0 && *(const char *)bytes >= '0' && *(const char *)bytes <= '9')
                note('A', strtoll(bytes, 0, 10));
            if (file >= 0) abort();
            return next_write(descriptor, bytes, size);
        }
        """
}
