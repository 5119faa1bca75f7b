import Foundation
import TestSupport
import Testing

/// `replay` of a journal, `journal verify --reduce` and `test --journal`: the steps of a journal, made again.
@Suite(.timeLimit(.minutes(10))) struct JournalReductionTests {
    private static let manifest = """
        app.name = "door"

        [loops.door]
        initial = "closed"
        shared  = { times = 0, at = { type = "timestamp" } }
        states  = { closed = {}, open = {} }
        events  = { pushed = { n = "int" } }
        until   = "state.times > 3"

        [loops.door.on]
        pushed = [
            { from = "closed", to = "open", set = { times = "state.times + event.n", at = "now" } },
            { from = "open", to = "closed", set = { times = "state.times + event.n", at = "now" } },
        ]

        [loops.door.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "pushed", n = "int(value.text)" }, ended = [] }

        """

    private let folder: TemporaryFolder

    /// A folder with `run.journal`, whose loop `door` has four steps: two of each case.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        let run = try Spinhost.run(
            "--quiet", "--journal", "run.journal", in: folder, input: "1\n1\n1\n1\n")
        try #require(run.status == 0, "\(run.errors)")
    }

    private func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(Project.spinhost, arguments, in: folder.root, environment: ["NO_COLOR": "1"])
    }

    /// Changes the transition in the open case, which makes steps 2 and 4.
    private func change() throws {
        let changed = Self.manifest.replacing(
            #"to = "closed", set = { times = "state.times"#,
            with: #"to = "closed", set = { times = "state.times + 10"#)
        try folder.write("app.toml", changed)
    }

    @Test func `the same reducers make the same states, with the times of the entries`() throws {
        #expect(try spinhost("replay", "run.journal").output == "identical: 4 steps\n")
        #expect(
            try spinhost("replay", "run.journal", "--json").output == "{\"identical\":true,\"steps\":4}\n")
        let verified = try spinhost("journal", "verify", "run.journal", "--reduce")
        #expect(verified.status == 0)
        #expect(verified.output.hasPrefix("ok: 7 entries in "))
        #expect(verified.output.hasSuffix("\nidentical: 4 steps\n"))
        let tested = try spinhost("test", "--journal", "run.journal")
        #expect(tested.status == 0)
        #expect(
            tested.output == """
                ok    door: pushed in `closed`  (2 steps)
                ok    door: pushed in `open`  (2 steps)
                2 transitions, 0 failed

                """)
    }

    @Test func `the first step with another result is shown, and each in a test`() throws {
        try change()
        let differs = "differs: step 2 of `door` (@4), `pushed`: `times` is 12 now, and was 2\n"
        let replayed = try spinhost("replay", "run.journal")
        #expect((replayed.status, replayed.output, replayed.errors) == (1, differs, ""))
        let verified = try spinhost("journal", "verify", "run.journal", "--reduce")
        #expect(verified.status == 1)
        #expect(verified.output.hasPrefix("ok: 7 entries in ") && verified.output.hasSuffix("\n\(differs)"))
        let tested = try spinhost("test", "--journal", "run.journal")
        #expect(tested.status == 1)
        #expect(
            tested.output == """
                ok    door: pushed in `closed`  (2 steps)
                FAIL  door: pushed in `open`  (2 of 2 steps)
                      #2 (@4): `times` is 12 now, and was 2
                      #4 (@6): `times` is 14 now, and was 4
                2 transitions, 1 failed

                """)
        let json = try spinhost("test", "--journal", "run.journal", "--json")
        #expect(
            json.output.hasSuffix(
                """
                {"loop":"door","event":"pushed","case":"open","steps":2,"passed":false,"differences":[\
                {"step":2,"position":4,"message":"`times` is 12 now, and was 2"},\
                {"step":4,"position":6,"message":"`times` is 14 now, and was 4"}]}

                """))
    }

    @Test func `a test ends after a thousand differences`() throws {
        let many = (0..<1_200).map { _ in "0\n" }.joined()
        let run = try Spinhost.run("--quiet", "--journal", "many.journal", in: folder, input: many)
        try #require(run.status == 1, "\(run.errors)")
        let text = Self.manifest.replacing("state.times + event.n", with: "state.times + event.n - 1")
        try folder.write("app.toml", text)
        let tested = try spinhost("test", "--journal", "many.journal")
        #expect(tested.status == 1)
        #expect(tested.errors == "the test ended at @1002, after 1,000 differences\n")
        #expect(tested.output.split(separator: "\n").count == 1_003)
    }

    @Test func `one step is shown with the states around it`() throws {
        let shown = try spinhost("replay", "run.journal", "--at", "2")
        #expect(shown.status == 0)
        let time = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"/
        #expect(
            shown.output.replacing(time, with: { _ in "T" }) == """
                door  #1  open, times = 1, at = T
                door  #2  pushed(n: 1)  open → closed, times 1 → 2, at T → T  ← read
                door  #2  closed, times = 2, at = T
                identical: 1 step

                """)
        try change()
        let differs = try spinhost("replay", "run.journal", "--at", "@4")
        #expect(differs.status == 1)
        #expect(differs.output.hasSuffix("`pushed`: `times` is 12 now, and was 2\n"))
        let json = try spinhost("replay", "run.journal", "--at", "door#4", "--json").output
        #expect(json.contains(#"{"loop":"door","step":4,"position":6,"before":{"case":"open","times":3,"#))
        #expect(json.contains(#""event":"pushed","payload":{"n":1},"after":{"case":"closed","times":4,"#))
        #expect(json.contains(#""identical":false}"#))
        #expect(try spinhost("replay", "run.journal", "--at", "0").output.hasPrefix("door  #0  closed, "))
        #expect(try spinhost("replay", "run.journal", "--at", "@7").output.contains("door  #4  pushed"))
    }

    @Test func `a journal of another manifest is compared as far as it goes`() throws {
        let wider = Self.manifest.replacing("times = 0, at", with: "times = 0, more = 1, at")
        try folder.write("app.toml", wider)
        #expect(try spinhost("replay", "run.journal").output == "identical: 4 steps\n")
        try folder.write("app.toml", Self.manifest.replacing("pushed", with: "moved"))
        let renamed = try spinhost("replay", "run.journal")
        #expect(renamed.status == 1)
        #expect(
            renamed.output
                == "differs: step 1 of `door` (@3), `pushed`: loop `door` has no event `pushed`\n")
        try folder.write(
            "app.toml",
            Self.manifest.replacing("times = 0", with: "times = 0.5").replacing(
                "event.n", with: "double(event.n)"))
        let retyped = try spinhost("replay", "run.journal")
        #expect(retyped.status == 1)
        #expect(retyped.output.contains("its field `times` was `i64`, and is `f64`"), "\(retyped)")
        try folder.write("app.toml", Self.manifest.replacing("loops.door", with: "loops.gate"))
        let other = try spinhost("replay", "run.journal")
        #expect(other.output == "differs: step 1 of `door` (@3), `pushed`: the manifest has no loop `door`\n")
    }

    @Test func `wrong words and files are refused`() throws {
        #expect(try spinhost("replay", "run.journal", "--at", "x").status == 64)
        #expect(try spinhost("journal", "verify", "run.journal", "--libraries").status == 64)
        let missing = try spinhost("replay", "run.journal", "--at", "9")
        #expect((missing.status, missing.errors) == (1, "error: `run.journal` has no such step\n"))
        let recording = try spinhost("replay", "app.toml", "--at", "1")
        #expect(recording.status == 64)
        #expect(recording.errors == "error: `--at` needs a journal, and `app.toml` is not one\n")
        #expect(try spinhost("test", "--journal", "missing.journal").status == 66)
        #expect(try spinhost("check", "--journal", "run.journal").status == 64)
    }

    @Test func `a damaged journal is compared up to its damage`() throws {
        let damage = """
            sqlite3 run.journal "VACUUM INTO 'copy.journal'" && sqlite3 copy.journal "delete from snapshot; \
            update chunk set data = data || x'00' where number = (select max(number) from chunk)"
            """
        try #require(try Shell.run("bash", ["-c", damage], in: folder.root).status == 0)
        let replayed = try spinhost("replay", "copy.journal")
        #expect(replayed.status == 66)
        #expect(replayed.errors.contains("identical before the damage: "), "\(replayed)")
        #expect(replayed.errors.contains("error[J002]: `copy.journal` is damaged at @"))
        let verified = try spinhost("journal", "verify", "copy.journal", "--reduce")
        #expect(verified.status == 1)
        #expect(verified.errors.hasPrefix("error: `copy.journal` is damaged at @"))
        #expect(try spinhost("test", "--journal", "copy.journal").status == 66)
    }
}
