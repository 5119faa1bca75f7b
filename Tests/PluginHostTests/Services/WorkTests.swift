import Foundation
import HostLoop
import PluginHost
import Records
import TestSupport
import Testing

/// Functions that plugins give to `spin_work`.
@Suite(.timeLimit(.minutes(10))) struct WorkTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    /// A plugin whose functions read from a gate until that is closed.
    private func open(_ id: String) throws -> PluginImage {
        let source = """
            #include <signal.h>
            #include <spinhost/plugin.h>
            #include <stdatomic.h>
            #include <stdlib.h>
            #include <unistd.h>
            SPIN_PLUGIN("\(id)", "1");
            struct work { int gate, number; };
            static atomic_int inside, most, count, masked;
            static int order[4096];
            static void work(void *context) {
                struct work *work = context;
                sigset_t all, before_all;
                sigfillset(&all);
                pthread_sigmask(SIG_BLOCK, &all, &before_all);
                atomic_fetch_add(&masked, sigismember(&before_all, SIGSEGV));
                int now = atomic_fetch_add(&inside, 1) + 1, before = atomic_load(&most);
                while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
                    ;
                order[atomic_fetch_add(&count, 1)] = work->number;
                for (char byte; read(work->gate, &byte, 1) > 0;)
                    ;
                atomic_fetch_sub(&inside, 1);
                free(work);
            }
            static int64_t submit(int32_t gate, int32_t count) {
                int64_t accepted = 0;
                for (int number = 0; number < count; number++) {
                    struct work *one = malloc(sizeof *one);
                    *one = (struct work){gate, number};
                    accepted += spin_work(work, one) == SPIN_OK;
                }
                return accepted;
            }
            SPIN_EFFECT(int64_t, submit, (int32_t gate, int32_t count), "");
            static int64_t called(void) { return atomic_load(&count); }
            SPIN_EFFECT(int64_t, called, (void), "");
            static int64_t most_at_once(void) { return atomic_load(&most); }
            SPIN_EFFECT(int64_t, most_at_once, (void), "");
            static int64_t found_masked(void) { return atomic_load(&masked); }
            SPIN_EFFECT(int64_t, found_masked, (void), "");
            // Whether those from `first` on were called in the order of their numbers.
            static int64_t is_in_order(int32_t first) {
                for (int i = first + 1; i < atomic_load(&count); i++)
                    if (order[i] != order[i - 1] + 1)
                        return 0;
                return 1;
            }
            SPIN_EFFECT(int64_t, is_in_order, (int32_t first), "");
            """
        return try host.open(path: try PluginFixture.path(source: source, as: "\(id).c"))
    }

    /// The names of all threads of the process.
    private func threads() throws -> [String] {
        let folder = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { task in
            // It may have ended since.
            try? String(contentsOfFile: "\(folder)/\(task)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    private func whenIdle(_ image: PluginImage) async {
        await withCheckedContinuation { continuation in image.whenIdle { continuation.resume() } }
    }

    @Test func `three thousand functions that wait have a few threads, and all are called`() async throws {
        let (image, gate) = (try open("many"), Pipe())
        let reading = Int64(gate.fileHandleForReading.fileDescriptor)
        #expect(try host.call(image, "submit", .int(reading), .int(3000)) == .int(3000))
        #expect(image.workCount == 3000)
        // Those of other tests are among them.
        try #require(try threads().count < 1000)
        let own = { try threads().count { $0 == "work of many" } }
        try blockUntil { try own() == 64 }
        try blockUntil { try host.call(image, "called") == .int(64) }
        try gate.fileHandleForWriting.close()
        await whenIdle(image)
        #expect(image.workCount == 0)
        #expect(try host.call(image, "called") == .int(3000))
        #expect(try host.call(image, "most_at_once") == .int(64))
        // Each of them leaves all signals blocked.
        #expect(try host.call(image, "found_masked") == .int(0))
        // None is kept for later.
        try blockUntil { try own() == 0 }
    }

    @Test func `functions of a plugin that wait hold up no other plugin`() async throws {
        let (waiting, other, gate, open) = (try open("waiting"), try open("other"), Pipe(), Pipe())
        defer { try? gate.fileHandleForWriting.close() }
        try open.fileHandleForWriting.close()
        _ = try host.call(
            waiting, "submit", .int(Int64(gate.fileHandleForReading.fileDescriptor)), .int(1000))
        _ = try host.call(other, "submit", .int(Int64(open.fileHandleForReading.fileDescriptor)), .int(1000))
        await whenIdle(other)
        #expect(try host.call(other, "called") == .int(1000))
        #expect(waiting.workCount == 1000)
        try gate.fileHandleForWriting.close()
        await whenIdle(waiting)
    }

    @Test func `functions beyond the bound are called in the order in which they came`() async throws {
        let (image, lasting, short) = (try open("orderly"), Pipe(), Pipe())
        defer { try? lasting.fileHandleForWriting.close() }
        let (long, brief) = (
            lasting.fileHandleForReading.fileDescriptor, short.fileHandleForReading.fileDescriptor
        )
        _ = try host.call(image, "submit", .int(Int64(long)), .int(63))
        try blockUntil { try host.call(image, "called") == .int(63) }
        // One thread is left for all of these.
        _ = try host.call(image, "submit", .int(Int64(brief)), .int(500))
        try short.fileHandleForWriting.close()
        try blockUntil { image.workCount == 63 }
        #expect(try host.call(image, "called") == .int(563))
        #expect(try host.call(image, "is_in_order", .int(63)) == .int(1))
        try lasting.fileHandleForWriting.close()
        await whenIdle(image)
    }
}
