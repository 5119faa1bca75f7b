import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// What becomes of the versions of a plugin that were replaced.
@Suite(.timeLimit(.minutes(10)), .inThisProcess("no version of a plugin in a worker is mapped or counted"))
struct SwapRetirementTests {
    /// Waits until nothing calls a version that was replaced.
    private static func settled(_ app: App) async -> RetiredImages.Counts {
        await waitUntil { app.replacedLibraries.inUse == 0 }
        return app.replacedLibraries
    }

    /// Whether something is mapped whose path contains the text.
    private static func isMapped(_ text: String) throws -> Bool {
        // Its size is 0, so that it must be read until the end.
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd())
        return String(decoding: maps, as: UTF8.self).contains(text)
    }

    /// Whether a host has a private copy of the library with this hash.
    private static func hasCopy(_ hash: String) throws -> Bool {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        return try FileManager.default.contentsOfDirectory(atPath: base).contains { name in
            guard name.hasPrefix("spinhost-"), name.utf8.count == "spinhost-".utf8.count + 6 else {
                return false
            }
            let copies = try? FileManager.default.contentsOfDirectory(atPath: "\(base)/\(name)")
            return copies?.contains { $0.hasSuffix("-\(hash)") } == true
        }
    }

    @Test func aLibraryInC_isUnmapped_andItsCopyIsGone() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 9), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        var hashes: [String] = []
        for number in 2...4 {
            // Bytes that no other test maps.
            try world.build(SwapWorld.plugin(number, version: "91.\(number)"))
            let report = try await world.swap("numbers", in: run)
            hashes.append(try #require(report.hash))
        }
        let counts = await Self.settled(world.app)
        #expect(counts.unmapped == 3 && counts.kept == 0, "\(counts)")
        #expect(try Self.isMapped("-\(hashes[2])/"))
        #expect(try Self.hasCopy(hashes[2]))
        for hash in hashes[..<2] {
            #expect(try !Self.isMapped("-\(hash)/"))
            #expect(try !Self.hasCopy(hash))
        }
        run.stop()
        _ = await run.finished()
    }

    @Test func aVersionThatALoopEndsWith_isCountedAfterTheOneBeforeIsUnmapped() async throws {
        for round in 0..<40 {
            // The loop ends with the first answer of the new version, while the swap is still being concluded.
            let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
            defer { world.app.close() }
            let run = world.app.start(observer: world.record)
            try world.build(SwapWorld.plugin(2, version: "2"))
            try await world.swap("numbers", in: run)
            let replaced = await run.finished().counters.replaced
            #expect(replaced.unmapped == 1 && replaced.inUse == 0, "round \(round): \(replaced)")
        }
    }

    @Test(arguments: [
        SwapWorld.plugin(2, version: "2", id: "others"),
        SwapWorld.plugin(2, version: "2").replacing("number(", with: "digit(")
            .replacing(" number,", with: " digit,"),
    ])
    func aVersionThatIsRefused_isUnmappedToo(library: String) async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 9), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(library)
        try await world.swap("numbers", in: run, expecting: .refused)
        #expect(await Self.settled(world.app).unmapped == 1)
        run.stop()
        _ = await run.finished()
    }

    @Test func aCallThatRuns_keepsItsVersionMapped() async throws {
        func library(_ number: Int) -> String {
            """
            #include <spinhost/plugin.h>
            #include <unistd.h>
            SPIN_PLUGIN("numbers", "\(number)");
            static int32_t wait_for(int32_t gate) {
                char byte;
                return read(gate, &byte, 1) == 1 ? \(number) : 0;
            }
            SPIN_EFFECT(int32_t, wait_for, (int32_t gate), "");
            """
        }
        let gate = Pipe()
        let world = try SwapWorld(
            """
            [plugins.numbers]
            library = "./lib.so"
            [loops.main]
            state  = { sum = 0, asks = 0 }
            events = { answered = { answer = "int" } }
            until  = "state.asks == 2"
            [loops.main.on]
            answered = { set = { asks = "state.asks + 1", sum = "state.sum * 10 + event.answer" } }
            [loops.main.feedback.ask]
            effect   = "numbers:wait_for"
            args     = [\(gate.fileHandleForReading.fileDescriptor)]
            executor = "pool"
            trigger  = "state"
            strategy = "continue-on-new-state"
            emit     = { event = "answered", answer = "result" }

            """, library(1))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        await waitUntil { !run.running.isEmpty }
        try world.build(library(2))
        try await world.swap("numbers", in: run)
        #expect(world.app.replacedLibraries.inUse == 1)
        gate.fileHandleForWriting.write(Data("xx".utf8))
        #expect(await run.finished().counters.replaced.unmapped == 1)
        #expect(world.record.steps.last?.contains(#""sum":12"#) == true, "\(world.record.steps)")
    }

    /// Lines of C that leave something behind, or may, and why the library stays mapped.
    static let residues = [
        (
            "#include <pthread.h>\nint leave(void) { pthread_t t; return pthread_create(&t, 0, 0, 0); }",
            "it can start threads (`pthread_create`)"
        ),
        (
            "static volatile int left;\n__attribute__((destructor)) static void leave(void) { left = 1; }",
            "it has destructors"
        ),
        (
            "#include <stdlib.h>\nint leave(void) { return on_exit((void (*)(int, void *))leave, 0); }",
            "it uses `on_exit`"
        ),
        (
            "#include <signal.h>\nvoid leave(void) { signal(SIGUSR2, (void (*)(int))leave); }",
            "it uses `signal`"
        ),
        ("#include <stdlib.h>\nint leave(void) { return putenv(\"A=B\"); }", "it uses `putenv`"),
    ]

    @Test(arguments: residues)
    func whatMayLeaveSomethingBehind_staysMapped(_ lines: String, _ reason: String) async throws {
        let world = try SwapWorld(
            SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1") + "\n" + lines + "\n")
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(2, version: "2"))
        try await world.swap("numbers", in: run)
        let counts = await Self.settled(world.app)
        #expect(counts.kept == 1 && counts.unmapped == 0, "\(counts)")
        #expect(counts.lastReason == reason)
        #expect(counts.keptWithThreads == (reason.contains("threads") ? 1 : 0))
        #expect(counts.keptBytes > 0)
        _ = await run.finished()
    }

    /// Lines of C that hand out an address, what calls them, and why the library stays mapped.
    static let handingOut = [
        (
            "static void *place(void) { static int here; return &here; }\nSPIN_EFFECT(void *, place, (void), \"\");",
            "args = []\nemit = { event = \"placed\", place = \"result\" }",
            "`place` hands out pointers that nothing closes"
        ),
        (
            """
            static void place(void **to) { static int here; *to = &here; }
            SPIN_EFFECT(void, place, (void **to), "");
            """, "args = [{ out = 1 }]\nemit = { event = \"placed\", place = \"out.to\" }",
            "`place` hands out pointers that nothing closes"
        ),
        (
            """
            SPIN_EMITTER(placed, (void *, place));
            static void place(spin_call *call) { static int here; placed(call, &here); spin_finish(call); }
            SPIN_EFFECT(void, place, (spin_call *call), "");
            """, "args = []\nemits.placed = { event = \"placed\", place = \"value.place\" }",
            "`placed` emits pointers"
        ),
    ]

    @Test(arguments: handingOut)
    func whatAStateMayPointInto_staysMapped(
        _ lines: String, _ call: String, _ reason: String
    ) async throws {
        func library(_ version: Int) -> String {
            "#include <spinhost/plugin.h>\nSPIN_PLUGIN(\"numbers\", \"\(version)\");\n\(lines)\n"
        }
        let manifest = """
            [plugins.numbers]
            library = "./lib.so"
            [loops.main]
            state  = { place = { type = "pointer" } }
            events = { placed = { place = "pointer" } }
            on.placed = { set = { place = "event.place" } }
            [loops.main.feedback.place]
            effect = "numbers:place"
            \(call)

            """
        let world = try SwapWorld(manifest, library(1))
        defer { world.app.close() }
        let run = world.app.makeRun(
            observer: world.record, port: AppPort(world.app.manifest, statesCame: {}))
        run.start()
        await world.record.steps(1)
        try world.build(library(2))
        try await world.swap("numbers", in: run)
        run.stop()
        let replaced = await run.finished().counters.replaced
        #expect(replaced.kept == 1 && replaced.unmapped == 0, "\(replaced)")
        #expect(replaced.lastReason == reason)
    }

    @Test func aLibraryInCPlusPlus_staysMapped() async throws {
        let world = try SwapWorld(
            SwapWorld.manifest(until: 2),
            SwapWorld.plugin(1, version: "1") + "\nvoid leave(void) { throw 1; }\n", compiler: "c++")
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(2, version: "2"))
        try await world.swap("numbers", in: run)
        #expect(await Self.settled(world.app).lastReason == "it needs `libstdc++.so.6`")
        _ = await run.finished()
    }
}
