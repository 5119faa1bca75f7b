import Testing
import TestSupport

struct ExplainTests {
    @Test func eachState_saysWhatItsFeedbacksDid() throws {
        let outcome = try Spinhost.run("run", "--explain", "--manifest", Spinhost.example("levels"))
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 22)
        #expect(
            Array(lines.prefix(4)) == [
                "levels  #0  left = 10, right = 20", "levels  #0  left: ran, right: ran",
                "levels  #1  left_moved(to: 11)  left 10 → 11  ← left",
                "levels  #1  left: ran, right: withdrawn and ran",
            ])
        #expect(lines[20] == "levels  #10  right_moved(to: 15)  right 16 → 15  ← right")
        #expect(lines[21] == "levels  #10  left: withdrawn and rejected by `when`, right: rejected by `when`")
    }

    @Test func json_hasARecordForEachState_whichReplayPassesOver() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [loops.a]
            state  = { n = 0, text = "x" }
            events = { ticked = {} }
            on     = { ticked = { set = { n = "state.n + 1" } } }
            until  = "state.n == 2"
            [loops.a.feedback]
            clock  = { effect = "std:every", args = ["1ms"], emit = { event = "ticked" } }
            same   = { effect = "std:print", args = ["state.text"] }
            late   = { effect = "std:print", args = ["'late'"], when = "state.n > 0" }
            first  = { effect = "std:print", on = "ticked", when = "state.n == 1", args = ["'first'"] }
            never  = { effect = "std:print", args = ["'never'"], disabled = true }
            broken = { effect = "std:print", args = ["string(1 / state.n)"] }

            """)
        let outcome = try Spinhost.run("--json", "--explain", in: folder)
        let explained = outcome.output.split(separator: "\n").filter { $0.contains("\"feedbacks\"") }
        func line(_ step: Int, _ feedbacks: String, _ broken: String) -> String {
            #"{"loop":"a","step":\#(step),"feedbacks":{\#(feedbacks),"never":["disabled"],"broken":[\#(broken)]}}"#
        }
        #expect(
            explained.prefix(2).map(String.init) == [
                line(
                    0, #""clock":["ran"],"same":["ran"],"late":["rejected"],"first":["unchanged"]"#,
                    #""ran","failed""#),
                line(
                    1, #""clock":["kept"],"same":["unchanged"],"late":["ran"],"first":["ran"]"#, #""ran""#),
            ])
        try folder.write("run.jsonl", outcome.output)
        #expect(try Spinhost.run("replay", "run.jsonl", in: folder).output == "identical: 2 steps\n")
    }

    /// The host asks such a condition only when a step sets what it reads.
    @Test func aConditionThatFaults_failsInEachStep() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [loops.a]
            state  = { n = 0, zero = 0 }
            events = { ticked = {} }
            on     = { ticked = { set = { n = "state.n + 1" } } }
            until  = "state.n == 2"
            [loops.a.feedback]
            clock  = { effect = "std:every", args = ["1ms"], emit = { event = "ticked" } }
            broken = { effect = "std:print", args = ["'x'"], when = "1 / state.zero > 0" }
            one    = { effect = "std:print", args = ["'one'"], when = "state.n == 5" }
            two    = { effect = "std:print", args = ["'two'"], when = "state.zero == 5" }

            """)
        let outcome = try Spinhost.run("--explain", in: folder)
        let explained = outcome.errors.split(separator: "\n").filter { $0.contains("broken: ") }
        #expect(explained.count == 3)
        for line in explained {
            #expect(line.contains("broken: failed, one: rejected by `when`, two: rejected by `when`"))
        }
    }

    @Test func aStateInAnotherCase_isRejectedByIn_andNotByWhen() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [loops.door]
            initial = "closed"
            states  = { closed = {}, open = { by = "" } }
            events  = { opened = {} }
            on      = { opened = { from = "closed", to = "open", set = { by = "'Ada'" } } }
            [loops.door.feedback]
            guest  = { effect = "std:print", in = "closed", args = ["'knock'"], emit = { event = "opened" } }
            greet  = { effect = "std:print", in = "open", when = "state.by == 'Bob'", args = ["state.by"] }
            report = { effect = "std:print", on = "opened", in = "closed", args = ["'still closed'"] }

            """)
        let outcome = try Spinhost.run("run", "--explain", "--steps", in: folder)
        let explained = outcome.errors.split(separator: "\n").filter { $0.contains("guest: ") }
        #expect(
            explained == [
                "door  #0  guest: ran, greet: rejected by `in`, report: unchanged",
                "door  #1  guest: rejected by `in`, greet: rejected by `when`, report: rejected by `in`",
            ], "\(outcome.errors)")
        let json = try Spinhost.run("run", "--explain", "--json", in: folder)
        #expect(
            json.output.contains(
                #""feedbacks":{"guest":["other-case"],"greet":["rejected"],"report":["other-case"]}"#),
            "\(json.output)")
    }

    @Test func explainAndQuiet_contradict() throws {
        #expect(try Spinhost.run("run", "--explain", "--quiet").status == 64)
        #expect(try Spinhost.run("check", "--explain").status == 64)
    }
}
