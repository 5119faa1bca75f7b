import Testing
import TestSupport

/// States with cases, as a user sees them.
struct StateCommandTests {
    private static let door = """
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"
        [loops.door]
        initial = "closed"
        shared  = { count = 0 }
        states  = { closed = {}, open = { by = "" } }
        events  = { open = { by = "string" } }
        until   = "state.count == 2"
        [loops.door.on]
        open = { from = "closed", to = "open", set = { by = "event.by", count = "state.count + 1" } }
        [loops.door.after]
        open = { delay = "1ms", to = "closed", set = { count = "state.count + 1" } }
        [loops.door.feedback.visitor]
        effect = "libc:abs"
        args   = [1]
        when   = "state.count == 0"
        emit   = { event = "open", by = "'Ada'" }

        """

    @Test func steps_showTheOldCaseAndTheNew_andTheFieldsThatAreNew() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.door)
        let outcome = try Spinhost.run("run", "--steps", in: folder)
        #expect(
            outcome.output == """
                door  #0  closed, count = 0
                door  #1  open(by: "Ada")  closed → open, count 0 → 1, by = "Ada"  ← visitor
                door  #2  after:open(delay: "0.001s")  open → closed, count 1 → 2  ← after:open

                """)
        #expect(outcome.status == 0)
    }

    @Test func json_hasTheCaseFirst_andARecordingReplays() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.door)
        let recording = try Spinhost.run("run", "--json", in: folder)
        #expect(
            recording.output == """
                {"loop":"door","step":0,"state":{"case":"closed","count":0},"origin":"initial"}
                {"loop":"door","step":1,"event":"open","payload":{"by":"Ada"},"state":{"case":"open","count":1,"by":"Ada"},"origin":"feedback:visitor"}
                {"loop":"door","step":2,"event":"after:open","payload":{"delay":"0.001s"},"state":{"case":"closed","count":2},"origin":"after:open"}

                """)
        try folder.write("run.jsonl", recording.output)
        let replay = try Spinhost.run("replay", "run.jsonl", in: folder)
        #expect(replay.output == "identical: 2 steps\n")
        try folder.write("other.jsonl", recording.output.replacing("0.001s", with: "0.002s"))
        let other = try Spinhost.run("replay", "other.jsonl", in: folder)
        #expect(other.errors.contains("loop `door` has no `after:open` with that delay"))
        #expect(other.status != 0)
    }

    @Test func volume_isWithoutFaults_andPassesItsTests() throws {
        let check = try Spinhost.run("check", "--deny-warnings", "--manifest", Spinhost.example("volume"))
        #expect(check.output + check.errors == "")
        #expect(check.status == 0)
        let tests = try Spinhost.run("test", "--manifest", Spinhost.example("volume"))
        #expect(tests.output.hasSuffix("\n5 tests, 0 failed\n"))
        #expect(tests.status == 0)
    }

    @Test func volume_obeysTheWordsOfItsInput() throws {
        let run = try Spinhost.run(
            "--manifest", Spinhost.example("volume"), "--quiet",
            input: "up\nmute call\nup\nnonsense\n\nunmute\nfade")
        #expect(
            run.output == """
                playing at 30, 0 changes
                playing at 35, 1 changes
                muted at 35, 1 changes
                playing at 35, 1 changes
                playing at 17, 1 changes

                """)
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func theNameOfAnEvent_isItsCase_andIsComparedWithNoOther() throws {
        let folder = try TemporaryFolder()
        let text = """
            [loops.main]
            state  = { seen = "", n = 0 }
            events = { a = {}, b = {}, c = { x = "int" } }
            until  = "state.n == 3"
            [loops.main.on]
            "*" = { set = { seen = "state.seen + event.case", n = "state.n + (event.case == 'c' ? 2 : 1)" } }
            [loops.main.feedback]
            go = { effect = "std:after", args = ["1ms"], emit = [{ event = "a" }, { event = "c", x = 1 }] }
            say = { on = ["a", "c"], effect = "std:print", args = ["event.case + ' in ' + state.seen"] }
            """
        try folder.write("app.toml", text)
        let run = try Spinhost.run("--quiet", in: folder)
        #expect(run.output == "a in a\nc in ac\n")
        #expect(run.errors == "")
        try folder.write("app.toml", text.replacing("== 'c'", with: "== 'd'"))
        let check = try Spinhost.run("check", in: folder)
        #expect(check.errors.contains("^^^ it has `a`, `b`, `c`"), "\(check.errors)")
        #expect(check.status == 1)
    }
}
