import Foundation
import TestSupport
import Testing

/// `run --journal`, and the verbs that read a journal.
@Suite(.timeLimit(.minutes(10))) struct JournalCommandTests {
    private static let manifest = """
        app.name = "count"
        [loops.main]
        state  = { n = 0 }
        events = { tick = {}, odd = {} }
        until  = "state.n == 40"
        on.tick = { set = { n = "state.n + 1" } }
        on.odd  = { if = "false" }
        [loops.main.feedback.clock]
        effect = "std:every"
        args   = ["duration('5ms')"]
        emits.ticked = { event = "tick" }

        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
    }

    private func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root, environment: ["NO_COLOR": "1", "TZ": "UTC"])
    }

    @Test(arguments: ["off", "batched", "every-step"])
    func `a run that is killed again and again comes to its end`(_ mode: String) throws {
        var kills = 0
        while kills < 20 {
            let host = try RunningProgram(
                ["run", "--steps", "--journal", "a run.journal", "--durable", mode, "--skip", "none"],
                in: folder.root)
            // Some steps, and one of them perhaps in the middle of a commit.
            for _ in 0..<3 where host.nextLine().isEmpty { break }
            kill(host.identifier, SIGKILL)
            _ = host.end()
            kills += 1
            let verified = try spinhost("journal", "verify", "a run.journal")
            try #require(verified.status == 0 && verified.output.hasPrefix("ok: "), "\(verified)")
        }
        let last = try spinhost(
            "run", "--quiet", "--journal", "a run.journal", "--durable", mode, "--skip", "none")
        #expect(last.status == 0)
        let lines = try spinhost("journal", "show", "a run.journal", "--json", "--event", "tick").output
            .split(separator: "\n")
        // Each number once, in order.
        let numbers: [String] = lines.map { line in
            line.firstMatch(of: /"state":\{"n":(\d+)\}/).map { String($0.1) } ?? ""
        }
        #expect(numbers == (1...40).map { String($0) })
        let done = try spinhost("run", "--journal", "a run.journal", "--durable", mode)
        #expect(done.status == 0)
        #expect(
            done.errors.contains(
                #/done at step 40 \(....-..-.. ..:..:..\): nothing to continue; `--restart` begins again/#))
        let at = try spinhost("journal", "at", "a run.journal", "main#7")
        #expect(at.output.contains(/^\{"loop":"main","step":7,.*"state":\{"n":7\},"event":"tick"\}/))
        #expect(try spinhost("journal", "at", "a run.journal", "41").status == 1)
        let restarted = try spinhost(
            "run", "--quiet", "--journal", "a run.journal", "--durable", mode, "--restart")
        #expect(restarted.status == 0)
        #expect(try spinhost("journal", "verify", "a run.journal.before-1").status == 0)
    }

    @Test func `entries are shown as lines`() throws {
        #expect(try spinhost("run", "--quiet", "--journal", "run.journal").status == 0)
        let shown = try spinhost("journal", "show", "run.journal", "--to", "4").output
            .replacing(/\d\d:\d\d:\d\d\.\d\d\d/, with: { _ in "TIME" }).replacing(
                /process \d+/, with: { _ in "process 1" })
        #expect(
            shown == """
                1  TIME  begun by 0.1.0, process 1: app.toml
                2  TIME  main  #0  n = 0
                3  TIME  main  #1  tick  n 0 → 1  ← clock
                4  TIME  main  #2  tick  n 1 → 2  ← clock

                """)
        let verified = try spinhost("journal", "verify", "run.journal")
        #expect(verified.output.contains(#/^ok: 43 entries in \d+ chunks?, 1 snapshot, 1 epoch, /#))
    }

    @Test func `wrong files are refused, and are not changed`() throws {
        try folder.write("text.journal", "not a journal\n")
        let other = try spinhost("run", "--journal", "text.journal")
        #expect(other.status == 66)
        #expect(other.errors.hasPrefix("error[J004]: "))
        #expect(try String(contentsOf: folder.url("text.journal"), encoding: .utf8) == "not a journal\n")
        #expect(try spinhost("journal", "show", "missing.journal").status == 66)
        #expect(try spinhost("journal", "show", ".").status == 66)
        #expect(try spinhost("run", "--durable", "off").status == 78)
        #expect(try spinhost("journal", "at", "run.journal", "x").status == 64)
        #expect(try spinhost("run", "--quiet", "--journal", "run.journal").status == 0)
        try folder.write("app.toml", Self.manifest.replacing("\"count\"", with: "\"other\""))
        let strange = try spinhost("run", "--journal", "run.journal")
        #expect(strange.status == 69)
        #expect(
            strange.errors == """
                error[J011]: `run.journal` is the journal of app `count`, and the manifest is of `other`
                  = help: name another file, or begin a new journal with `--restart`

                """)
    }

    @Test func `a second host is refused while one writes, and readers are not`() throws {
        try folder.write("app.toml", Self.manifest.replacing("== 40", with: "== 4000000"))
        let host = try RunningProgram(["run", "--steps", "--journal", "run.journal"], in: folder.root)
        _ = host.nextLine()
        let second = try spinhost("run", "--journal", "run.journal")
        #expect(second.status == 69)
        #expect(
            second.errors == """
                error[J010]: `run.journal` is in use by process \(host.identifier) (app `count`)
                  = help: stop it, or name another file with `--journal`

                """)
        #expect(try spinhost("journal", "show", "run.journal").status == 0)
        kill(host.identifier, SIGTERM)
        _ = host.end()
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
    }

    @Test func `damage is named, and what is before it can be read`() throws {
        #expect(
            try spinhost("run", "--quiet", "--journal", "run.journal", "--durable", "every-step").status == 0)
        let damaged = try Shell.run(
            "/usr/bin/sqlite3",
            [
                folder.url("run.journal").path,
                "delete from snapshot; update chunk set data = x'ffff' || substr(data, 3) where number = 10",
            ])
        try #require(damaged.status == 0, "\(damaged.errors)")
        let verified = try spinhost("journal", "verify", "run.journal")
        #expect(verified.status == 1)
        #expect(verified.errors.contains(/damaged at @\d+: a checksum is wrong/))
        let run = try spinhost("run", "--journal", "run.journal")
        #expect(run.status == 66)
        #expect(run.errors.hasPrefix("error[J002]: `run.journal` is damaged at @"))
        let shown = try spinhost("journal", "show", "run.journal")
        #expect(shown.status == 66)
        #expect(shown.output.contains("#1  tick"))
    }
}
