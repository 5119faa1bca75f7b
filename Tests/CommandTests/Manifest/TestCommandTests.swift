import Testing
import TestSupport

struct TestCommandTests {
    private static let manifest = """
        [plugins.missing]
        library  = "libnowhere.so.9"
        declares = "long step_toward(long from, long to);"

        [loops.levels]
        state  = { left = 10, right = 20, at = { x = 1.0, y = 2.0 } }
        events = { left_moved = { to = "int" }, right_moved = { to = "int" }, noted = {}, divided = { by = "int" } }
        until  = "state.left == state.right"
        [loops.levels.on]
        left_moved  = { set = { left = "event.to" } }
        right_moved = { set = { right = "event.to" } }
        divided     = { set = { left = "state.left / event.by" } }
        [loops.levels.feedback.left]
        effect = "missing:step_toward"
        args   = ["state.left", "state.right"]
        emit   = { event = "left_moved", to = "result" }


        """

    private func outcome(_ tests: String, _ arguments: String...) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest + tests)
        return try Shell.run(Project.spinhost, ["test"] + arguments, in: folder.root)
    }

    @Test func passingTests_areNamed_withoutAnyLibrary() throws {
        let outcome = try outcome(
            """
            [[tests]]
            name   = "meets in the middle"
            loop   = "levels"
            given  = { left = 14, right = 16 }
            events = [{ left_moved = { to = 15 } }, { right_moved = { to = 15 } }]
            expect = { left = 15, right = 15, at = { y = 2 } }
            [[tests]]
            name   = "begins at the initial state"
            expect = { left = 10 }

            """)
        #expect(outcome.errors == "")
        #expect(
            outcome.output == """
                ok    meets in the middle
                ok    begins at the initial state
                2 tests, 0 failed

                """)
        #expect(outcome.status == 0)
    }

    @Test func failingTest_showsTheStepsThatLedThere_andEachFieldThatDiffers() throws {
        let outcome = try outcome(
            """
            [[tests]]
            name   = "two fields differ"
            given  = { left = 14 }
            events = [{ left_moved = { to = 15 } }, { noted = {} }]
            expect = { left = 16, right = 20, at = { x = 1.5 } }

            """)
        #expect(
            outcome.output == """
                FAIL  two fields differ
                      levels  #0  left = 14, right = 20, at.x = 1.0, at.y = 2.0
                      levels  #1  left_moved(to: 15)  left 14 → 15  ← external
                      levels  –  noted  not handled
                  left: expected 16, found 15  (app.toml:22)
                  at.x: expected 1.5, found 1.0  (app.toml:22)
                1 test, 1 failed

                """)
        #expect(outcome.status == 1)
    }

    @Test func faultsOfAStep_andEventsAfterTheEnd_failATest() throws {
        let outcome = try outcome(
            """
            [[tests]]
            name   = "divides by zero"
            events = [{ divided = { by = 0 } }]
            expect = { left = 10 }
            [[tests]]
            name   = "is over"
            events = [{ left_moved = { to = 20 } }, { left_moved = { to = 21 } }]
            expect = { left = 20 }

            """)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("divides by zero\n      levels  #0"), "\(outcome.output)")
        #expect(outcome.output.contains("--> app.toml:12:"), "\(outcome.output)")
        #expect(outcome.output.contains("in loop `levels`, step 0, reducer"), "\(outcome.output)")
        #expect(
            outcome.output.contains("`until` of `levels` held before the last 1 event"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("2 tests, 2 failed\n"))
    }

    @Test func json_isOneObjectForEachTest() throws {
        let outcome = try outcome(
            """
            [[tests]]
            name   = "moves"
            events = [{ left_moved = { to = 15 } }]
            expect = { left = 16 }

            """, "--json")
        #expect(
            outcome.output == """
                {"test":"moves","loop":"levels","passed":false,"steps":[{"loop":"levels","step":0,"state":\
                {"left":10,"right":20,"at":{"x":1.0,"y":2.0}},"origin":"initial"},{"loop":"levels","step":1,\
                "event":"left_moved","payload":{"to":15},"state":{"left":15,"right":20,"at":{"x":1.0,"y":2.0}},\
                "origin":"external"}],"eventsAfterEnd":0,"differences":[{"field":"left","expected":16,"found":15,\
                "line":21}]}

                """)
        #expect(outcome.status == 1)
    }

    @Test func noTests_isNoFailure_andFaultyOnesAreFaultsOfTheManifest() throws {
        #expect(try outcome("").output == "0 tests, 0 failed\n")
        #expect(try outcome("").status == 0)
        let faulty = try outcome("[[tests]]\nname = \"x\"\nexpect = { leff = 1 }\n")
        #expect(faulty.status == 78)
        #expect(faulty.errors.contains("did you mean `left`?"), "\(faulty.errors)")
    }
}
