import App
import Diagnostics
import Foundation
import TestSupport
import Testing

/// Swaps that do not come about: the version that runs goes on.
@Suite(.timeLimit(.minutes(10))) struct SwapRefusalTests {
    @Test func equalBytes_areNoOtherVersion() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        let report = try await world.swap("numbers", in: run, expecting: .unchanged)
        #expect(report.reasons.isEmpty)
        run.stop()
        _ = await run.finished()
    }

    @Test(
        "what cannot take the place is refused, and the version that runs goes on",
        arguments: [
            (SwapWorld.plugin(2, version: "2", id: "others"), "it calls itself `others`, not `numbers`"),
            (
                SwapWorld.plugin(2, version: "2").replacing("int32_t", with: "int64_t"),
                "its effect `number` is `int64_t number(int64_t seed)`, not `int32_t number(int32_t seed)`"
            ),
            ("int number(int seed) { return 2; }", "has no effect `number`"),
            (
                SwapWorld.plugin(2, version: "2").replacing("number(", with: "numbre(").replacing(
                    ", number,", with: ", numbre,"), "has no effect `number`"
            ),
            (
                instances(version: "2").replacing("spin_self *self, ", with: "").replacing(
                    "self->number", with: "0"), "it has instances, and the version that runs has none"
            ),
        ])
    func misfits(library: String, reason: String) async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(library)
        let report = try await world.swap("numbers", in: run, expecting: .refused)
        #expect(report.reasons.map(\.message).joined().contains(reason), "\(report.reasons.map(\.message))")
        try world.build(SwapWorld.plugin(2, version: "3"))
        try await world.swap("numbers", in: run)
        #expect(await run.finished().outcome == .done)
    }

    @Test func aStructWithOtherFields_isRefused() async throws {
        func plugin(_ number: Int, _ field: String) -> String {
            """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("numbers", "\(number)");
            SPIN_RECORD(place, (\(field), n));
            static int32_t number(spin_list_place places) { return places.count ? \(number) : 0; }
            SPIN_EFFECT(int32_t, number, (spin_list_place places), "");
            """
        }
        let manifest = SwapWorld.manifest(until: 2).replacing(
            "\"state.n % 1000\"", with: "\"[{'n': state.n % 1000}]\"")
        let world = try SwapWorld(manifest, plugin(1, "int32_t"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(plugin(2, "int64_t"))
        let report = try await world.swap("numbers", in: run, expecting: .refused)
        #expect(
            report.reasons.map(\.message) == [
                "its record `place` is `struct place { int64_t n; }`, not `struct place { int32_t n; }`"
            ])
        try world.build(plugin(2, "int32_t"))
        try await world.swap("numbers", in: run)
        #expect(await run.finished().outcome == .done)
    }

    @Test(arguments: ["", "no library", "\u{7f}ELF and no more"])
    func filesThatAreNoLibraries_areRefused(content: String) async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.folder.write("lib.so", content)
        let report = try await world.swap("numbers", in: run, expecting: .refused)
        #expect(report.reasons.count == 1)
        run.stop()
        #expect(await run.finished().outcome != .done)
    }

    @Test func aFileThatIsGone_fails() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try FileManager.default.removeItem(at: world.folder.url("lib.so"))
        let report = try await world.swap("numbers", in: run, expecting: .failed)
        #expect(report.reasons.map(\.message).joined().contains("cannot read"))
        run.stop()
        _ = await run.finished()
    }

    @Test func whatTheManifestDoesNotName_isRefused_withASuggestion() async throws {
        let world = try SwapWorld(
            SwapWorld.manifest(
                until: 2, plugin: "[plugins.c]\nlibrary = \"libc.so.6\"\ndeclares = \"int abs(int n);\""),
            SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        let unknown = try await world.swap("number", in: run, expecting: .refused)
        #expect(unknown.reasons.flatMap(\.help) == ["did you mean `numbers`?"])
        let unused = await world.app.swap("c", in: run, deadline: .generous)
        #expect(unused.reasons.map(\.message) == ["no loop calls anything of `c`"])
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("versions in workers share no variables"))
    func versionsThatShareAVariable_areRefused() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.sharing(1), compiler: "c++")
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.sharing(2), compiler: "c++")
        let report = try await world.swap("numbers", in: run, expecting: .refused)
        #expect(
            report.reasons.map(\.message) == [
                "`\(world.folder.url("lib.so").path)` would share `answer` with the version that runs"
            ])
        run.stop()
        _ = await run.finished()
    }

    /// A plugin with instances whose effect answers 1.
    private static func instances(version: String) -> String {
        """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("numbers", "\(version)");
        \(InstanceSource.text())
        static int32_t number(spin_self *self, int32_t seed) { return self->number + seed * 0 + 1; }
        SPIN_EFFECT(int32_t, number, (spin_self *self, int32_t seed), "");
        """
    }

    @Test func afterTheEnd_thereIsNothingToSwap() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 1), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        #expect(await run.finished().outcome == .done)
        try world.build(SwapWorld.plugin(2, version: "2"))
        let report = try await world.swap("numbers", in: run, expecting: .failed)
        #expect(report.reasons.map(\.message) == ["the app has ended"])
    }
}
