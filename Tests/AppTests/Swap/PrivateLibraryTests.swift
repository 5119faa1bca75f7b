import Diagnostics
import Foundation
import HostLoop
import Manifest
import PluginHost
import Records
import TestSupport
import Testing

@testable import App

/// Plugins that bring libraries of their own along, and swaps of both.
@Suite(.timeLimit(.minutes(10))) struct PrivateLibraryTests {
    private let folder: TemporaryFolder
    private let record = RecordedRun()

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.root.path }

    /// How a plugin finds its libraries, and whether these have names of their own.
    enum Search: String, CaseIterable {
        case named, namedElsewhere, nameless, namelessElsewhere

        var hasNames: Bool { self == .named || self == .namedElsewhere }
        var isElsewhere: Bool { self == .namedElsewhere || self == .namelessElsewhere }
    }

    /// Makes `NAME` in `lib` or beside the plugin, from C, and puts it in the place of the one before.
    private func library(
        _ name: String, _ source: String, _ search: Search = .named, needing others: [String] = []
    ) throws {
        let target = search.isElsewhere ? "lib/\(name)" : name
        try FileManager.default.createDirectory(
            at: folder.url("lib"), withIntermediateDirectories: true)
        let flags = (search.hasNames ? ["-Wl,-soname,\(name)"] : []) + self.flags(search, needing: others)
        _ = try CCompiler().sharedObject(source, in: folder, as: "made.so", flags: flags)
        // Safe because the paths are borrowed for the call.
        try #require(unsafe rename(folder.url("made.so").path, folder.url(target).path) == 0)
    }

    private func flags(_ search: Search, needing others: [String]) -> [String] {
        let place = search.isElsewhere ? "\(path)/lib" : path
        guard !others.isEmpty else { return [] }
        return ["-L\(place)", "-Wl,-rpath,\(search.isElsewhere ? place : "$ORIGIN")"]
            + others.map { "-l:\($0)" }
    }

    /// `libcore.so`, which divides by a number.
    private func core(_ divisor: Int, _ search: Search = .named) throws {
        try library("libcore.so", "long core(long n) { return n / \(divisor); }", search)
    }

    /// `half.so`, which has `libcore.so` do it.
    private func half(_ search: Search = .named, adding number: Int = 0) throws {
        _ = try CCompiler().sharedObject(
            "long core(long); long half(long n) { return core(n) + \(number); }", in: folder, as: "made.so",
            flags: flags(search, needing: ["libcore.so"]))
        // Safe because the paths are borrowed for the call.
        try #require(unsafe rename(folder.url("made.so").path, folder.url("half.so").path) == 0)
    }

    /// Asks `half` for each number that is sent; `NAME` for the plugin `NAME.so`, in order.
    private func start(
        _ names: [String] = ["half"]
    ) throws -> (app: App, run: AppRun, ask: (Int) throws -> Void) {
        let plugins = names.map {
            "[plugins.\($0)]\nlibrary = \"./\($0).so\"\ndeclares = \"long \($0)(long n);\"\n"
        }
        let feedbacks = names.map {
            """
            [loops.main.feedback.\($0)]
            effect = "\($0):\($0)"
            on = "asked"
            args = ["event.n"]
            emit = { event = "answered", to = "result" }

            """
        }
        let manifest = try RecordedRun.manifest(
            """
            \(plugins.joined())
            [loops.main]
            state = { last = 0 }
            events = { asked = { n = "int" }, answered = { to = "int" } }
            on.asked = { set = { last = "state.last" } }
            on.answered = { set = { last = "event.to" } }
            \(feedbacks.joined())
            """, in: folder)
        let app = try App(
            manifest, log: { [record] in record.log($0) }, output: { [record] in record.print($0) },
            workerProgram: WorkerMode.program)
        let port = AppPort(manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port)
        run.start()
        let type = manifest.loops[0].events[0].type
        return (
            app, run,
            { number in
                var payload = Record(type)
                try payload.set("n", to: .int(Int64(number)))
                _ = try port.send(event: 0, payload: payload, toLoop: 0)
            }
        )
    }

    private func answers(_ wanted: Int..., inAnyOrder: Bool = false) async {
        await record.until { steps in
            let answers = steps.compactMap { step in
                step.firstMatch(of: #/answered\{"to":(-?\d+)\}/#).flatMap { Int($0.1) }
            }
            return inAnyOrder ? answers.sorted() == wanted.sorted() : answers == wanted
        }
    }

    @Test(arguments: Search.allCases.filter { $0 != .namelessElsewhere })
    func aPrivateLibraryThatHasChanged_isSwappedWithItsPlugin(search: Search) async throws {
        try core(2, search)
        try half(search)
        let (app, run, ask) = try start()
        defer { app.close() }
        try ask(1000)
        await answers(500)
        #expect(await app.swap("half", in: run).outcome == .unchanged)
        try core(10, search)
        #expect(await app.swap("half", in: run).outcome == .swapped)
        try ask(1000)
        await answers(500, 100)
        // Both at once, and the plugin alone.
        try core(100, search)
        try half(search, adding: 1)
        #expect(await app.swap("half", in: run).outcome == .swapped)
        try ask(1000)
        await answers(500, 100, 11)
        try half(search, adding: 2)
        #expect(await app.swap("half", in: run).outcome == .swapped)
        try ask(1000)
        await answers(500, 100, 11, 12)
        #expect(await app.swap("half", in: run).outcome == .unchanged)
        #expect(
            PluginImage.files(ofLibrary: "\(path)/half.so") == [
                "\(path)/half.so", "\(path)/\(search.isElsewhere ? "lib/" : "")libcore.so",
            ])
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("each version in a worker has a loader of its own"))
    func libraryThatTheLoaderWouldConfuseWithTheOldOne_isRefused_andNamed() async throws {
        // The name is this test's own, as the process keeps what it has loaded.
        func lone(_ divisor: Int) throws {
            try library("liblone.so", "long lone(long n) { return n / \(divisor); }", .namelessElsewhere)
        }
        try lone(2)
        _ = try CCompiler().sharedObject(
            "long lone(long); long half(long n) { return lone(n); }", in: folder, as: "half.so",
            flags: flags(.namelessElsewhere, needing: ["liblone.so"]))
        let (app, run, ask) = try start()
        defer { app.close() }
        try lone(10)
        let report = await app.swap("half", in: run)
        #expect(report.outcome == .refused)
        #expect(report.reasons.map(\.code.rawValue) == ["P096"])
        #expect(
            report.reasons.map(\.message) == [
                "`\(path)/lib/liblone.so` cannot be loaded beside the library of its name that a plugin has"
            ])
        try ask(1000)
        await answers(500)
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("each version in a worker has a loader of its own"))
    func aRefusedPrivateLibrary_hasAHash_andIsNotRefusedAgain() async throws {
        let path = folder.url("lib/libsole.so").path
        func put(_ content: String) throws {
            try FileManager.default.removeItem(atPath: path)
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        }
        func sole(_ divisor: Int, _ search: Search = .namelessElsewhere) throws {
            try library("libsole.so", "long sole(long n) { return n / \(divisor); }", search)
        }
        try sole(2)
        _ = try CCompiler().sharedObject(
            "long sole(long); long half(long n) { return sole(n); }", in: folder, as: "half.so",
            flags: flags(.namelessElsewhere, needing: ["libsole.so"]))
        let (app, run, ask) = try start()
        defer { app.close() }
        var refused: [String] = []
        let versions = [
            ("P096", { try sole(10) }), ("P096", { try sole(20) }), ("P006", { try put("no library") }),
            ("P006", { try put("no library either") }),
        ]
        for (code, make) in versions {
            try make()
            let report = await app.swap("half", in: run, unless: refused.last)
            #expect(report.outcome == .refused)
            #expect(report.reasons.map(\.code.rawValue) == [code])
            refused.append(try #require(report.hash))
            try make()
            let again = await app.swap("half", in: run, unless: refused.last)
            #expect(again.outcome == .unchanged)
            #expect(again.hash == report.hash)
            #expect(await app.swap("half", in: run).outcome == .refused)
        }
        #expect(Set(refused).count == versions.count)
        try sole(10, .namedElsewhere)
        #expect(await app.swap("half", in: run, unless: refused.last).outcome == .swapped)
        try ask(1000)
        await answers(100)
        run.stop()
        _ = await run.finished()
    }

    @Test func aLibraryThatAPrivateLibraryNeeds_isSwappedWithBoth() async throws {
        func base(_ number: Int) throws {
            try library("libbase.so", "long base(void) { return \(number); }")
        }
        try base(1)
        try library(
            "libcore.so", "long base(void); long core(long n) { return n * base(); }",
            needing: ["libbase.so"])
        try half()
        let (app, run, ask) = try start()
        defer { app.close() }
        try ask(7)
        await answers(7)
        try base(3)
        #expect(await app.swap("half", in: run).outcome == .swapped)
        try ask(7)
        await answers(7, 21)
        #expect(
            PluginImage.files(ofLibrary: "\(path)/half.so").sorted() == [
                "\(path)/half.so", "\(path)/libbase.so", "\(path)/libcore.so",
            ])
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("plugins in workers share no variables"))
    func pluginsThatNeedTheSameFile_shareOneCopy_beforeAndAfterSwaps() async throws {
        func core(_ step: Int) throws {
            try library("libcore.so", "static long n; long core(void) { return n += \(step); }")
        }
        func plugin(_ name: String) throws {
            _ = try CCompiler().sharedObject(
                "long core(void); long \(name)(long n) { (void)n; return core(); }", in: folder,
                as: "\(name).so", flags: flags(.named, needing: ["libcore.so"]))
        }
        try core(1)
        for name in ["left", "right"] { try plugin(name) }
        let (app, run, ask) = try start(["left", "right"])
        defer { app.close() }
        try ask(0)
        await answers(1, 2)
        try core(10)
        #expect(await app.swap("left", in: run).outcome == .swapped)
        try ask(0)
        await answers(1, 2, 10, 3)
        #expect(await app.swap("right", in: run).outcome == .swapped)
        try ask(0)
        await answers(1, 2, 10, 3, 20, 30)
        run.stop()
        _ = await run.finished()
    }

    @Test func aLibraryOfTheSameName_elsewhere_isAnotherOne() async throws {
        try core(2)
        try half()
        try FileManager.default.createDirectory(
            at: folder.url("other"), withIntermediateDirectories: true)
        _ = try CCompiler().sharedObject(
            "long core(long n) { return -n; }", in: folder, as: "other/libcore.so",
            flags: ["-Wl,-soname,libcore.so"])
        _ = try CCompiler().sharedObject(
            "long core(long); long other(long n) { return core(n); }", in: folder, as: "other.so",
            flags: ["-L\(path)/other", "-l:libcore.so", "-Wl,-rpath,$ORIGIN/other"])
        let (app, run, ask) = try start(["half", "other"])
        defer { app.close() }
        try ask(8)
        // Workers make the calls of one step at the same time.
        await answers(4, -8, inAnyOrder: WorkerMode.isOn)
        run.stop()
        _ = await run.finished()
    }

    @Test func copiesOfPrivateLibraries_goWithTheLastVersionThatNeedsThem() async throws {
        try core(2)
        try half()
        let (app, run, _) = try start()
        defer { app.close() }
        func copies() throws -> [String] {
            let staging = app.plugins.staging.path
            let files = FileManager.default.enumerator(atPath: staging)
            return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".so") }
        }
        for divisor in 3...6 {
            try core(divisor)
            #expect(await app.swap("half", in: run).outcome == .swapped)
        }
        run.stop()
        _ = await run.finished()
        // The plugin and its library, in the version that is called now and the one that is kept.
        await waitUntil { (try? copies().count) ?? 0 <= 4 }
    }
}
