import Foundation
import Testing
import TestSupport

struct ReplayCommandTests {
    private func manifest(
        _ factor: String, _ fields: String = "n = 1, list = [1, 2], maybe = { type = \"int?\" }"
    )
        -> String
    {
        """
        [loops.a]
        state  = { \(fields) }
        events = { doubled = {} }
        until  = "state.n > 100"
        on     = { doubled = { set = { n = "state.n * \(factor)", list = "[state.n, 2]" } } }
        feedback.go = { effect = "std:every", args = ["1ms"], emit = { event = "doubled" } }

        """
    }

    private func replay(_ recording: String, _ manifest: String, _ arguments: String...) throws
        -> Shell.Outcome
    {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        try folder.write("run.jsonl", recording)
        return try Shell.run(Project.spinhost, ["replay", "run.jsonl"] + arguments, in: folder.root)
    }

    private func recording(of manifest: String) throws -> String {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        let run = try Spinhost.run("run", "--json", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.output
    }

    @Test func recordedRun_isIdentical_fromAFileAndFromStdin() throws {
        let recorded = try Spinhost.run("--manifest", Spinhost.example("levels"), "--json")
        let folder = try TemporaryFolder()
        let file = try folder.write("run.jsonl", recorded.output)
        let levels = Spinhost.example("levels")
        for outcome in [
            try Spinhost.run("replay", file, "--manifest", levels),
            try Spinhost.run("--manifest", levels, "replay", "-", input: recorded.output),
        ] {
            #expect(outcome.output == "identical: 10 steps\n", "\(outcome.errors)")
            #expect(outcome.status == 0)
        }
        let json = try Spinhost.run("replay", file, "--manifest", levels, "--json")
        #expect(json.output == "{\"identical\":true,\"steps\":10}\n")
    }

    @Test func anotherReducer_isShown_withThePlaceInTheRecording() throws {
        let recorded = try recording(of: manifest("2"))
        let outcome = try replay(recorded, manifest("3"))
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == """
                error[M110]: `n` is 3 now, and was 2
                 --> run.jsonl:2:66
                  |
                2 | …p":"a","step":1,"event":"doubled","payload":{},"state":{"n":2,"list":[1,2],"maybe":null},"origin":"feedback:go"}
                  |                                                              ^
                  = note: in step 1 of loop `a`, event `doubled`

                """)
        let list = try replay(recorded, manifest("2").replacing("[state.n, 2]", with: "[state.n, state.n]"))
        #expect(list.errors.contains("`list[1]` is 1 now, and was 2"), "\(list.errors)")
        let unhandled = try replay(
            recorded, manifest("2").replacing("doubled = { set", with: "\"*\" = { if = false, set"))
        #expect(unhandled.errors.contains("`doubled` is not handled now"), "\(unhandled.errors)")
        let failing = try replay(recorded, manifest("(1 / (state.n - state.n))"))
        #expect(failing.errors.contains("the step fails now: "), "\(failing.errors)")
        #expect(failing.errors.contains("::: app.toml:5"), "\(failing.errors)")
        #expect([list.status, unhandled.status, failing.status] == [1, 1, 1])
    }

    @Test func severalLoops_areFollowedApart() throws {
        let one = manifest("2")
        let both = one + one.replacing("loops.a", with: "loops.b")
        let recorded = try recording(of: both)
        #expect(recorded.contains(#""loop":"b""#))
        let outcome = try replay(recorded, both)
        #expect(outcome.output == "identical: 14 steps\n", "\(outcome.errors)")
    }

    @Test func now_isRecorded_andTakenFromTheRecording() throws {
        let timed = manifest("2", "n = 1, list = [0], at = { type = \"timestamp\" }")
            .replacing("list = \"[state.n, 2]\"", with: "at = \"now\"")
        let recorded = try recording(of: timed)
        #expect(recorded.contains(#""now":""#))
        #expect(try replay(recorded, timed).output == "identical: 7 steps\n")
        let without = recorded.replacing(try Regex(#","now":"[^"]*""#), with: "")
        let outcome = try replay(without, timed)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the step does not say when it was"), "\(outcome.errors)")
        #expect(try recording(of: manifest("2")).contains(#""now""#) == false)
    }

    @Test func invalidRecordings_areRefused() throws {
        let good = try recording(of: manifest("2"))
        let lines = good.split(separator: "\n").map(String.init)
        func check(_ recording: String, _ status: Int32, _ part: String, _ line: Int? = nil) throws {
            let outcome = try replay(recording, manifest("2"))
            #expect(outcome.status == status, "\(part): \(outcome.errors)")
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
            if let line { #expect(outcome.errors.contains("--> run.jsonl:\(line):"), "\(outcome.errors)") }
            #expect(outcome.output == "")
        }
        try check("", 66, "holds no recorded state")
        try check("\u{0}\u{1}garbage\n", 66, "error[M111]", 1)
        try check(String(good.dropLast(20)), 66, "the recording ends in the middle of a line", lines.count)
        try check(String(good.dropLast(20)), 66, "identical before it: 6 steps")
        try check("[1, 2]\n", 66, "this is no line of a recording", 1)
        try check(lines[1] + "\n", 66, "comes before its initial state", 1)
        try check([lines[0], lines[2]].joined(separator: "\n") + "\n", 66, "steps are missing", 2)
        try check(good.replacing(#""loop":"a""#, with: #""loop":"aa""#), 1, "did you mean `a`?", 1)
        try check(good.replacing("doubled", with: "douled"), 1, "did you mean `doubled`?", 2)
        try check(
            good.replacing(#""maybe":null"#, with: #""other":1"#), 1, "there is no field `\"other\"`", 1)
        try check(good.replacing(#""n":1,"#, with: ""), 1, "field `n` is missing", 1)
        try check(good.replacing(#""n":1,"#, with: #""n":"x","#), 1, "`n`: ", 1)
    }

    @Test func fileThatCannotBeRead_isExit66() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest("2"))
        let missing = try Spinhost.run("replay", "nowhere.jsonl", in: folder)
        #expect(missing.status == 66)
        #expect(missing.errors == "error: `nowhere.jsonl` cannot be read: no such file or directory\n")
        #expect(try Spinhost.run("replay", ".", in: folder).status == 66)
        #expect(try Spinhost.run("replay", in: folder).status == 64)
    }
}
