import Foundation
import TestSupport
import Testing

/// `spinhost journal export` and `import`.
struct JournalExportTests {
    /// A state with every kind of field that a test can have.
    private static let manifest = #"""
        app.name = "kinds"
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"
        [loops.main]
        state = { n = 0, text = "quote \" back \\ tab \t é", x = 0.5, at = { on = true }, words = ["a"], big = { type = "u64" }, mood = { type = "good | bad" }, wait = { type = "duration", initial = "1.5s" }, when = { type = "timestamp", initial = "2026-01-02T03:04:05.5Z" }, maybe = { type = "string?" }, raw = { type = "bytes" } }
        events = { set = { n = "int", text = "string", maybe = "string?" }, odd = {} }
        until = "state.n == 5"
        [loops.main.on]
        set = { set = { n = "event.n + 1", text = "state.text + event.text", x = "state.x * 2.0", words = "state.words + [event.text]", big = "18446744073709551615u", mood = "'bad'", wait = "state.wait + duration('1ns')", maybe = "event.maybe", raw = "b'bytes'" } }
        odd = { if = "false" }
        [loops.main.feedback.next]
        effect = "libc:abs"
        args   = ["state.n"]
        emit   = { event = "set", n = "result", text = "state.n == 2 ? '\\n\\x01' : '→'", maybe = "'m'" }

        """#

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        let run = try Spinhost.run("--quiet", "--journal", "run.journal", in: folder)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func journal(_ arguments: String..., input: String = "") throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, ["journal"] + arguments, in: folder.root, environment: ["NO_COLOR": "1"],
            input: input)
    }

    @Test(arguments: ["1..5", "2..4", "3", "5..5"])
    func `steps become a test that passes, and fails when the reducer differs`(_ steps: String) throws {
        let test = try journal("export", "run.journal", "--test", "main", steps)
        #expect(test.status == 0 && test.errors == "", "\(test.errors)")
        #expect(test.output.hasPrefix("\n[[tests]]\nname   = \"step"))
        try folder.write("app.toml", Self.manifest + test.output)
        let passed = try Spinhost.run("test", in: folder)
        #expect(passed.status == 0, "\(passed.output)\(passed.errors)")
        #expect(passed.output.hasSuffix("1 test, 0 failed\n"))
        let other = Self.manifest.replacing("state.x * 2.0", with: "state.x * 3.0")
        try folder.write("app.toml", other + test.output)
        #expect(try Spinhost.run("test", in: folder).status == 1)
    }

    @Test func `a test is written to a file, which only the user can read`() throws {
        let test = try journal("export", "run.journal", "--output", "test.toml", "--test", "main", "1..2")
        #expect(test.status == 0 && test.output == "")
        #expect(try String(contentsOf: folder.url("test.toml"), encoding: .utf8).contains("[[tests]]"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.url("test.toml").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try journal("export", "run.journal", "--output", "no/file").status == 66)
    }

    @Test func `steps that are not there, and wrong options, are errors`() throws {
        let missing = try journal("export", "run.journal", "--test", "main", "4..9")
        #expect(missing.status == 1)
        #expect(missing.errors == "error: `run.journal` has no step 6 of loop `main`\n")
        #expect(try journal("export", "run.journal", "--test", "mian", "1..2").status == 1)
        for steps in ["4..1", "0..1", "x", "1..", "..2", "1-2", "99999999999999999999"] {
            #expect(try journal("export", "run.journal", "--test", "main", steps).status == 64)
        }
        #expect(try journal("export", "run.journal", "--test", "main").status == 64)
        #expect(try journal("export", "run.journal", "--jsonl", "--sql", "new").status == 64)
        #expect(try journal("export", "run.journal", "--follow").status == 64)
        #expect(try journal("export", "run.journal", "--copy", "x", "--output", "y").status == 64)
        #expect(try journal("export", "missing.journal").status == 66)
    }

    @Test func `a copy is a whole journal, and an existing file stays as it is`() throws {
        #expect(try journal("export", "run.journal", "--copy", "copy.journal").status == 0)
        #expect(try journal("verify", "copy.journal").output == journal("verify", "run.journal").output)
        #expect(try journal("diff", "run.journal", "copy.journal").output == "equal\n")
        let again = try journal("export", "run.journal", "--copy", "app.toml")
        #expect(again.status == 66)
        #expect(again.errors == "error[J004]: `app.toml` cannot be made: file exists\n")
        #expect(try String(contentsOf: folder.url("app.toml"), encoding: .utf8) == Self.manifest)
    }

    @Test func `a database answers questions in SQL`() throws {
        #expect(try journal("export", "run.journal", "--sql", "run.sql").status == 0)
        func query(_ sql: String) throws -> String {
            let outcome = try Shell.run("sqlite3", [folder.url("run.sql").path, sql])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        #expect(
            try query(
                "SELECT step, json_extract(changes, '$.n') FROM steps WHERE event = 'set' ORDER BY step")
                == "1|1\n2|2\n3|3\n4|4\n5|5\n")
        #expect(
            try query("SELECT count(*), json_extract(payload, '$.maybe') FROM steps WHERE feedback = 'next'")
                == "5|m\n")
        #expect(
            try query("SELECT run, begun_by, events, first = last FROM runs ORDER BY run")
                == "1|0|1|1\n2|1|1|1\n3|2|1|1\n4|3|1|1\n5|4|1|1\n")
        #expect(try query("SELECT epoch, position, manifest FROM epochs") == "1|1|app.toml\n")
        #expect(try query("SELECT loop, outcome FROM ends") == "main|done\n")
        #expect(try query("SELECT count(*) FROM sends, faults, swaps, refused") == "0\n")
        #expect(try query("SELECT changes FROM steps WHERE step = 0").contains("quote \\\" back"))
        let again = try journal("export", "run.journal", "--sql", "run.sql")
        #expect(again.status == 66)
        #expect(again.errors == "error[J004]: `run.sql` cannot be made: file exists\n")
    }

    @Test func `a damaged journal leaves no database`() throws {
        let damage = """
            sqlite3 run.journal "VACUUM INTO 'copy.journal'" && LC_ALL=C sed -i 's/bytes/bytas/' copy.journal
            """
        try #require(try Shell.run("bash", ["-c", damage], in: folder.root).status == 0)
        let outcome = try journal("export", "copy.journal", "--sql", "run.sql")
        #expect(outcome.status == 66 && outcome.errors.hasPrefix("error[J002]: "), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.url("run.sql").path))
    }

    @Test func `lines can be replayed, and become an equal journal`() throws {
        let lines = try journal("export", "run.journal", "--jsonl", "-o", "run.jsonl")
        #expect(lines.status == 0 && lines.output == "")
        #expect(try Spinhost.run("replay", "run.jsonl", in: folder).output == "identical: 5 steps\n")
        let imported = try journal("import", "run.jsonl", "--to", "new.journal")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output == "imported: 5 steps\n")
        #expect(try journal("verify", "new.journal").output.hasPrefix("ok: 7 entries in 1 chunk, 1 snapshot"))
        #expect(try journal("diff", "run.journal", "new.journal").output == "equal\n")
        #expect(try journal("export", "new.journal").output.split(separator: "\n").count == 6)
    }

    @Test func `the output of run becomes a journal that an app continues`() throws {
        try folder.write("app.toml", Self.manifest.replacing("state.n == 5", with: "state.n == 3"))
        let recording = try Spinhost.run("run", "--json", in: folder)
        #expect(recording.status == 0)
        let imported = try journal("import", "-", "--to", "new.journal", input: recording.output)
        #expect(imported.output == "imported: 3 steps\n", "\(imported.errors)")
        #expect(try journal("at", "new.journal", "main#2").output.contains("\"state\":{\"n\":2,"))
        #expect(try journal("at", "new.journal", "main#2", "--why", "n").output.contains("← feedback:next\n"))
        try folder.write("app.toml", Self.manifest)
        let run = try Spinhost.run("--quiet", "--journal", "new.journal", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try journal("diff", "run.journal", "new.journal").output == "equal\n")
        #expect(try journal("export", "new.journal").output.split(separator: "\n").count == 6)
    }

    @Test(arguments: [
        (#"{"loop":"mian","step":0,"state":{}}"#, "the manifest has no loop `mian`"),
        (#"{"loop":"main","step":0,"state":{"n":1}}"#, "the state of `main` does not fit the manifest: "),
        ("nonsense", "expected"), (#"{"a":1}"#, "this is no line of a recording"),
        ("", "`stdin` holds no recorded state"),
        (#"{"loop":"main","step":0,"state":{},"time":"noon"}"#, "the time is not RFC 3339"),
    ])
    func `a line that does not fit is shown, and no journal is left`(_ line: String, _ message: String) throws
    {
        let outcome = try journal("import", "-", "--to", "new.journal", input: line + "\n")
        #expect(outcome.status == 66)
        #expect(outcome.errors.hasPrefix("error[M111]: ") || message == "expected", "\(outcome.errors)")
        #expect(outcome.errors.contains(message) || message == "expected", "\(outcome.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.root.path)
        #expect(!files.contains { $0.hasPrefix("new.journal") })
    }

    @Test func `no output replaces the journal, and no import the log of another one`() throws {
        let before = try Data(contentsOf: folder.url("run.journal"))
        let itself = try journal("export", "run.journal", "-o", "./run.journal")
        #expect(itself.status == 64)
        #expect(itself.errors == "error: `./run.journal` is the journal itself; name another file\n")
        #expect(try Data(contentsOf: folder.url("run.journal")) == before)
        try folder.write("new.journal-wal", "a log")
        let outcome = try journal("import", "-", "--to", "new.journal", input: "")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("`new.journal` cannot be made: "), "\(outcome.errors)")
        #expect(try String(contentsOf: folder.url("new.journal-wal"), encoding: .utf8) == "a log")
    }

    @Test func `steps that are missing, and an existing file, are refused`() throws {
        let lines = try journal("export", "run.journal").output.split(separator: "\n")
        let gap = [lines[0], lines[2]].joined(separator: "\n") + "\n"
        let outcome = try journal("import", "-", "--to", "new.journal", input: gap)
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("step 2 of `main` follows step 0: steps are missing"))
        let existing = try journal("import", "-", "--to", "run.journal", input: "")
        #expect(existing.status == 66)
        #expect(existing.errors == "error: `run.journal` exists already; name a new file\n")
        #expect(try journal("verify", "run.journal").status == 0)
    }
}
