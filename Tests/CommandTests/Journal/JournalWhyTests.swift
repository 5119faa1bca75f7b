import TestSupport
import Testing

/// `spinhost journal at --why`
struct JournalWhyTests {
    /// Halves a number, and tells each one to another loop, by messages.
    private static let manifest = """
        app.name = "half"
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"
        [gears.news]
        messages = { halved = { n = "int" } }
        [loops.main]
        state     = { n = 8, at = { name = "apple" }, words = ["a", "b"] }
        events    = { halved = { from = "int" } }
        on.halved = { set = { n = "event.from / 2" } }
        [loops.main.feedback.half]
        effect = "libc:abs"
        args   = ["state.n"]
        emit   = { event = "halved", from = "result" }
        [loops.main.feedback.tell]
        send = { gear = "news", message = "halved", n = "state.n" }
        [loops.log]
        state    = { last = 0, n = 0 }
        until    = "state.n > 0 && state.last == 0"
        events   = { heard = { n = "int" } }
        on.heard = { set = { last = "event.n", n = "state.n + 1" } }
        receive.news.halved = { event = "heard", n = "message.n" }

        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        let run = try Spinhost.run("--quiet", "--journal", "run.journal", in: folder)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func why(_ field: String, _ place: String, _ rest: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, ["journal", "at", "run.journal", place, "--why", field] + rest,
            in: folder.root)
    }

    /// A position depends on which thread was faster.
    private static func withoutPositions(_ text: String) -> String { text.replacing(/@\d+/, with: "@P") }

    @Test func `a value is traced to the start, through runs`() throws {
        let outcome = try why("n", "main#3")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            Self.withoutPositions(outcome.output) == """
                `n` is 1 since step 3 (@P): halved(from: 2) ← feedback:half run 3, begun by step 2 ← halved \
                ← feedback:half run 2, begun by step 1 ← halved ← feedback:half run 1, begun by step 0 \
                ← start of `main` @P

                """)
    }

    @Test func `a value is traced through a message to another loop`() throws {
        let outcome = try why("last", "log#2")
        #expect(
            Self.withoutPositions(outcome.output) == """
                `last` is 4 since step 2 (@P): heard(n: 4) ← gear:news @P ← news.halved of `main` \
                ← feedback:tell, begun by step 1 ← halved ← feedback:half run 1, begun by step 0 \
                ← start of `main` @P

                """)
    }

    @Test func `a value that never changed is there since the start`() throws {
        for (field, value) in [
            ("at.name", "\"apple\""), ("words[1]", "\"b\""), ("at", "{\"name\":\"apple\"}"),
        ] {
            let outcome = try why(field, "-1")
            #expect(
                Self.withoutPositions(outcome.output)
                    == "`\(field)` is \(value) since the start of `main` @P\n")
        }
    }

    @Test func `an event from outside ends the chain`() throws {
        let journal = try RecordedJournal()
        let outcome = try journal.run("at", "run.journal", "-1", "--why", "n", "--loop", "a")
        #expect(outcome.output == "`n` is 3 since step 3 (@7): set(n: 3) ← external @7\n")
    }

    @Test func `a field that a changed manifest has added is there since then`() throws {
        let journal = try RecordedJournal()
        let manifest = RecordedJournal.manifest.replacing(
            "name = \"apple\" }", with: "name = \"apple\", more = 5 }")
        try journal.folder.write("app.toml", manifest)
        let run = try Spinhost.run("--quiet", "--journal", "run.journal", in: journal.folder)
        #expect(run.status == 0, "\(run.errors)")
        let more = try journal.run("at", "run.journal", "-1", "--why", "more")
        #expect(more.output == "`more` is 5 since a process continued step 3 (@9)\n", "\(more.errors)")
        // A restart changes no other field.
        let old = try journal.run("at", "run.journal", "-1", "--why", "n", "--loop", "a")
        #expect(old.output == "`n` is 3 since step 3 (@7): set(n: 3) ← external @7\n")
        let diff = try journal.run("diff", "run.journal", "@7", "-1")
        #expect(diff.output == "a: more = 5 (0 steps)\n")
    }

    @Test func `a long chain is cut`() throws {
        try folder.write("app.toml", Self.manifest.replacing("n = 8", with: "n = 1048576"))
        #expect(try Spinhost.run("--quiet", "--journal", "run.journal", "--restart", in: folder).status == 0)
        let outcome = try why("n", "main#20")
        #expect(outcome.output.hasPrefix("`n` is 1 since step 20 (@"))
        #expect(outcome.output.hasSuffix(" ← …\n"))
        #expect(outcome.output.count < 1000)
    }

    @Test func `an unknown field, and one of several loops, are errors`() throws {
        let unknown = try why("lasst", "-1")
        #expect(unknown.status == 1)
        #expect(unknown.errors == "error: no state there has a field `lasst`; did you mean `last`?\n")
        let several = try why("n", "-1")
        #expect(several.status == 64)
        #expect(
            several.errors == "error: several loops have `n`: name one of `main`, `log` with `--loop`\n")
        #expect(try why("n", "-1", "--loop", "log").output.hasPrefix("`n` is 5 since step 5 (@"))
        #expect(try why("n", "-1", "--loop", "lag").status == 1)
        #expect(try why("words[9]", "-1").status == 1)
        for field in ["", ".", "a..b", "a[", "a[x]", "[0]"] { #expect(try why(field, "-1").status == 64) }
    }
}
