import App
import Foundation
import Glibc
import HostLoop
import Manifest
import TestSupport
import Testing

/// A folder with a manifest and `lib.so`, and the app that runs it.
struct SwapWorld {
    let folder: TemporaryFolder
    let record = RecordedRun()
    let app: App

    init(
        _ manifest: String, _ library: String, compiler: String = "cc",
        clock: any LoopClock = ContinuousLoopClock(),
        trial: (@Sendable (SwapTrial) -> SwapTrial.Verdict)? = nil
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let manifest = try RecordedRun.manifest(
            manifest, library: library, compiler: compiler, in: folder)
        app = try App(
            manifest, clock: clock, log: { [record] in record.log($0) },
            output: { [record] in record.print($0) }, trial: trial, workerProgram: WorkerMode.program)
    }

    /// Puts another library in the place of `lib.so`.
    func build(_ library: String, compiler: String = "cc") throws {
        try compile(library, compiler: compiler)
        try install()
    }

    /// Makes another library, to be put in the place of `lib.so`.
    func compile(_ library: String, compiler: String = "cc") throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler(compiler).sharedObject(
            library, in: folder, as: "new.so",
            flags: ["-I\(include)", "-I\(folder.root.path)", "-pthread"])
    }

    /// Puts what was compiled in the place of `lib.so`.
    func install() throws {
        // Safe because the paths are borrowed for the call.
        guard unsafe rename(folder.url("new.so").path, folder.url("lib.so").path) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Swaps, however long a busy machine takes. Anything else than `outcome` ends the test and the run: what the test would wait for
    /// next may never come, and the plugin must not read from a file descriptor that belongs to another test by then.
    @discardableResult
    func swap(
        _ plugin: String, in run: AppRun, expecting outcome: SwapReport.Outcome = .swapped,
        onReport: @escaping @Sendable (SwapReport) -> Void = { _ in }
    ) async throws -> SwapReport {
        let report = await app.swap(plugin, in: run, deadline: .generous, onReport: onReport)
        if report.outcome != outcome { run.stop() }
        try #require(report.outcome == outcome, "\(report)")
        return report
    }

    /// Swaps as soon as nothing of an earlier swap is in its way any more.
    func swapOnceItMay(_ plugin: String, in run: AppRun) async {
        await waitUntil { await app.swap(plugin, in: run, deadline: .generous).outcome == .swapped }
    }

    /// Has the app of another manifest in the same folder go on.
    func handOver(
        _ run: AppRun, of app: App? = nil, to text: String, deadline: Duration = .generous,
        port: ((Manifest) -> AppPort)? = nil
    ) async throws -> Result<App.Follower, AppRefusal> {
        let manifest = try RecordedRun.manifest(text, in: folder)
        return await (app ?? self.app).succeed(
            run, by: manifest, observer: record, port: port?(manifest), deadline: deadline)
    }

    /// A plugin whose effect answers `number`.
    static func plugin(_ number: Int, version: String, id: String = "numbers") -> String {
        """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("\(id)", "\(version)");
        static int32_t number(int32_t seed) { return seed * 0 + \(number); }
        SPIN_EFFECT(int32_t, number, (int32_t seed), "");
        """
    }

    /// The same in C++, with a variable that all such libraries share.
    static func sharing(_ number: Int) -> String {
        plugin(number, version: "\(number)").replacing(
            "static int32_t number", with: "inline int32_t answer = \(number);\nstatic int32_t number"
        ).replacing("seed * 0 + \(number)", with: "seed * 0 + answer")
    }

    /// A loop that asks the plugin in each state, as fast as it can, until it answers `last`.
    static func manifest(until last: Int, more: String = "", plugin: String = "") -> String {
        """
        [plugins.numbers]
        library = "./lib.so"
        \(plugin)
        [loops.main]
        state  = { n = 0, answer = 0 }
        events = { answered = { answer = "int" } }
        until  = "state.answer == \(last)"
        [loops.main.on]
        answered = { set = { n = "state.n + 1", answer = "event.answer" } }
        [loops.main.feedback.ask]
        effect  = "numbers:number"
        args    = ["state.n % 1000"]
        trigger = "state"
        emit    = { event = "answered", answer = "result" }
        \(more)

        """
    }
}

extension Duration {
    /// For what happens soon on any machine, but not at once on one that does much else.
    static let generous: Duration = .seconds(300)
}
