import Foundation
import TestSupport
import Testing

/// `spinhost journal show --follow` and `export --sql --follow`, while an app writes.
@Suite(.timeLimit(.minutes(10))) struct JournalFollowTests {
    private static let manifest = """
        app.name = "count"
        [loops.main]
        state   = { n = 0 }
        events  = { tick = {} }
        on.tick = { set = { n = "state.n + 1" } }
        [loops.main.feedback.clock]
        effect = "std:every"
        args   = ["duration('5ms')"]
        emits.ticked = { event = "tick" }

        """

    private let folder: TemporaryFolder
    private let app: RunningProgram

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        app = try RunningProgram(["run", "--steps", "--journal", "run.journal"], in: folder.root)
        try #require(!app.nextLine().isEmpty)
    }

    private func endApp() {
        kill(app.identifier, SIGTERM)
        _ = app.end()
    }

    @Test func `each new entry comes, in order, until an interruption`() throws {
        let show = try RunningProgram(
            ["journal", "show", "run.journal", "--follow", "--json", "--event", "tick"], in: folder.root)
        // The app writes these after `show` has begun.
        for number in 1...200 { #expect(show.nextLine().contains("\"step\":\(number),")) }
        endApp()
        // The journal has an end now, and the next process may continue it.
        let next = try RunningProgram(["run", "--steps", "--journal", "run.journal"], in: folder.root)
        let first = try #require(next.nextLine().firstMatch(of: /#(\d+)/).flatMap { Int($0.1) })
        #expect(show.nextLine(with: "\"step\":\(first + 1),").contains("tick"))
        kill(show.identifier, SIGINT)
        #expect(show.end().status == 0)
        kill(next.identifier, SIGTERM)
        _ = next.end()
    }

    @Test func `it ends when its reader has gone`() throws {
        let outcome = try Shell.run(
            "bash", ["-c", "spinhost journal show run.journal --follow | head -1; echo ${PIPESTATUS[0]}"],
            in: folder.root, environment: Spinhost.environment)
        #expect(outcome.output.hasPrefix("1  ") && outcome.output.hasSuffix("\n0\n"), "\(outcome.output)")
        endApp()
        // Nothing is written any more, so no write can fail.
        let idle = try Shell.run(
            "bash",
            ["-c", "spinhost journal show run.journal --follow --from -1 | head -1; echo ${PIPESTATUS[0]}"],
            in: folder.root, environment: Spinhost.environment)
        #expect(idle.output.hasSuffix("main  stopped\n0\n"), "\(idle.output)")
    }

    @Test func `a database follows the app`() throws {
        let export = try RunningProgram(
            ["journal", "export", "run.journal", "--sql", "run.sql", "--follow"], in: folder.root)
        var last = 0
        // The database is not there at once, and it is locked during a commit.
        for _ in 0..<100_000 where last < 100 {
            let rows = try Shell.run(
                "sqlite3",
                [
                    "-readonly", "-cmd", ".timeout 60000", folder.url("run.sql").path,
                    "SELECT max(step) FROM steps",
                ])
            guard let step = Int(rows.output.dropLast()) else { continue }
            #expect(step >= last)
            last = step
        }
        #expect(last >= 100)
        endApp()
        kill(export.identifier, SIGINT)
        #expect(export.end().status == 0)
    }

    @Test func `verbs that read beside an app leave its files alone`() throws {
        func number(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder.url(name).path)[.systemFileNumber] as? Int
        }
        let (log, memory) = (try number("run.journal-wal"), try number("run.journal-shm"))
        for arguments in [["show"], ["verify"], ["export"], ["show", "--from", "-1"]] {
            let outcome = try Shell.run(
                Project.spinhost,
                ["journal", arguments[0], "run.journal"] + arguments.dropFirst(), in: folder.root)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try number("run.journal-wal") == log && number("run.journal-shm") == memory)
        }
        endApp()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
        #expect(files == ["app.toml", "run.journal", "run.journal-lock"])
    }
}
