import Foundation
import TestSupport
import Testing

/// The file that a crash leaves, and `spinhost report`.
@Suite(.timeLimit(.minutes(10))) struct CrashReportTests {
    /// `Tests/Fixtures/plugins/ends_process.c`, compiled once for all tests.
    private static let library = Result { try CompiledFixture("ends_process.c") }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(at: Self.library.get().file, to: folder.url("ends.so"))
    }

    private var crashes: URL { folder.url("state/spinhost/crashes") }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: crashes.path)) ?? []).sorted()
    }

    private func spinhost(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root,
            environment: [
                "XDG_STATE_HOME": folder.url("state").path, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1",
            ].merging(environment) { $1 })
    }

    private func crash(
        _ effect: String = "crash", _ args: String = "[]", name: String = "door",
        environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
        try folder.write(
            "app.toml",
            """
            app.name = "\(name)"
            [plugins.lib]
            library = "./ends.so"
            [loops.main]
            state  = { n = 0 }
            events = { ended = { n = "int" } }
            until  = "state.n == 1"
            on     = { ended = { set = { n = "1" } } }
            [loops.main.feedback.try]
            effect = "lib:\(effect)"
            args   = \(args)
            emit   = { event = "ended", n = "result" }
            """)
        return try spinhost("run", "--quiet", environment: environment)
    }

    @Test func `a crash of a thread that the plugin has started is reported with its library`() throws {
        let outcome = try crash("crash_thread")
        #expect(outcome.status == 128 + 11)
        #expect(
            outcome.errors.hasPrefix(
                "fatal: SIGSEGV at address 0x0 on a thread that calls no plugin, in code of `/"),
            "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("/ends.so`\n"), "\(outcome.errors)")
        try #require(files.count == 1)
        #expect(try spinhost("report", "--last").output.hasSuffix("\n\n\(outcome.errors)"))
    }

    @Test func `a crash in a child of the plugin is not one of the app`() throws {
        let outcome = try crash("fork_and_crash")
        #expect(outcome.status == 0 && outcome.errors == "" && files == [], "\(outcome)")
    }

    @Test func `a thread whose signals the plugin handles itself is not reported`() throws {
        try folder.write(
            "app.toml",
            """
            app.name = "door"
            [plugins.lib]
            library   = "./ends.so"
            isolation = "guarded"
            [loops.main]
            state  = { n = 0 }
            events = { changed = {}, ended = {} }
            on     = { changed = { set = { n = "1" } }, ended = {} }
            [loops.main.feedback.change]
            effect = "lib:change_handlers"
            emit   = { event = "changed" }
            [loops.main.feedback.crash]
            when   = "state.n == 1"
            effect = "lib:crash_thread"
            emit   = { event = "ended" }
            """)
        let outcome = try spinhost("run", "--quiet")
        // The handler of the plugin ends the process.
        #expect(outcome.status == 99 && files == [])
        #expect(outcome.errors.contains("the handler of SIGSEGV was replaced by one of"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("fatal"), "\(outcome.errors)")
    }

    @Test func `a crash leaves its report, which only this user can read`() throws {
        let outcome = try crash()
        #expect(outcome.status == 128 + 11)
        try #require(files.count == 1)
        let file = crashes.appendingPathComponent(files[0]).path
        #expect(files[0].wholeMatch(of: #/\d+-\d+-door\.json/#) != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
                as? [String: Any])
        #expect(report["report"] as? String == outcome.errors)
        #expect(report["app"] as? String == "door" && report["manifest"] as? String == "app.toml")
        #expect(report["spinhost"] as? String == "0.1.0")
        let (started, time) = (report["started"] as? Int ?? 0, report["time"] as? Int ?? 0)
        #expect(started > 0 && time >= started)

        let shown = try spinhost("report", file)
        #expect(shown.status == 0 && shown.errors == "")
        #expect(shown.output.hasPrefix("app `door` (app.toml), spinhost 0.1.0, process "))
        #expect(shown.output.hasSuffix("\n\n\(outcome.errors)"))
        #expect(try spinhost("report", "--last").output == shown.output)
        #expect(
            try spinhost("report").output.hasSuffix(
                "  door: SIGSEGV at address 0x0 in effect `crash` of plugin `ends` 2.0\n  \(file)\n"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(spinhost("report", "--json").output.utf8))
                as? NSDictionary)
        #expect(json.isEqual(to: report))
    }

    @Test func `a plugin that exits or aborts leaves a report too, and an orderly end none`() throws {
        #expect(try crash("fine", "[3]").status == 0)
        #expect(files == [])
        #expect(try crash("leave", "[0]", name: "first").status == 2)
        #expect(try crash("give_up", name: "second").status == 128 + 6)
        #expect(files.count == 2)
        let listed = try spinhost("report").output
        #expect(
            listed.contains("  first: effect `leave` of plugin `ends` 2.0 ended the process with `exit(0)`\n")
        )
        #expect(listed.contains("  second: SIGABRT in effect `give_up` of plugin `ends` 2.0\n"))
    }

    @Test func `a service keeps its reports in its own state folder`() throws {
        let state = folder.url("service").path
        _ = try crash(environment: ["STATE_DIRECTORY": "\(state):/other"])
        #expect(files == [])
        let listed = try spinhost("report", environment: ["STATE_DIRECTORY": state])
        #expect(listed.output.contains("  \(state)/crashes/"))
    }

    @Test func `old reports are removed when an app begins`() throws {
        try FileManager.default.createDirectory(at: crashes, withIntermediateDirectories: true)
        for time in 1...120 {
            try Data().write(to: crashes.appendingPathComponent("\(time)-1-door.json"))
        }
        #expect(try crash("fine", "[3]").status == 0)
        #expect(files.count == 99)
        #expect(!files.contains("21-1-door.json") && files.contains("22-1-door.json"))
    }

    @Test func `without reports the folder is named, and a wrong file is refused`() throws {
        let none = try spinhost("report")
        #expect(none.status == 0 && none.output == "")
        #expect(none.errors == "no report of a crash in `\(crashes.path)`\n")
        #expect(try spinhost("report", "nothing.json").status == 66)
        try folder.write("other.json", "{\"app\":1}")
        let other = try spinhost("report", "other.json")
        #expect(
            other.status == 66 && other.errors.hasPrefix("error: `other.json` is not the report of a crash\n")
        )
        #expect(try spinhost("report", "--last", "other.json").status == 64)
    }

    @Test func `a state folder that cannot be made changes nothing else`() throws {
        try folder.write("state", "a file")
        let outcome = try crash()
        #expect(outcome.status == 128 + 11 && outcome.errors.hasPrefix("fatal: SIGSEGV"))
    }
}
