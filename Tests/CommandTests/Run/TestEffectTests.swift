import Testing
import TestSupport

/// `effects` of `[[tests]]`: feedbacks run, and something stands in for their effects.
struct TestEffectTests {
    /// Nothing that it names is there to be opened.
    private static let plugin = """
        [plugins.missing]
        library  = "libnowhere.so.9"
        declares = "long step_toward(long from, long to); int read_name(char *name, unsigned long size); void beep(void);"


        """

    private static let levels = """
        [loops.levels]
        state  = { left = 10, right = 20 }
        events = { left_moved = { to = "int" }, right_moved = { to = "int" } }
        until  = "state.left == state.right"
        [loops.levels.on]
        left_moved  = { set = { left = "event.to" } }
        right_moved = { set = { right = "event.to" } }
        [loops.levels.feedback]
        left  = { effect = "missing:step_toward", args = ["state.left", "state.right"], when = "state.left != state.right", emit = { event = "left_moved", to = "result" } }
        right = { effect = "missing:step_toward", args = ["state.right", "state.left"], when = "state.left != state.right", emit = { event = "right_moved", to = "result" } }

        """

    private func test(_ text: String, _ arguments: String...) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.plugin + text)
        return try Shell.run(Project.spinhost, ["test"] + arguments, in: folder.root)
    }

    /// What a test named `x` prints when it fails, without the states that it begins with.
    private func steps(_ text: String) throws -> [String] {
        let outcome = try test(text)
        #expect(outcome.errors == "")
        #expect(outcome.status == 1)
        return outcome.output.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init)
    }

    @Test func feedbacksRunUntilTheLoopRests_afterTheEventsOfTheTest() throws {
        let outcome = try test(
            Self.levels + """
                [[tests]]
                name   = "one goes all the way"
                expect = { left = 20, right = 20 }
                effects.left = "state.left + 1"
                [[tests]]
                name   = "both meet"
                expect = { left = 15, right = 15 }
                effects = { left = "state.left + 1", right = "state.right - 1" }
                [[tests]]
                name   = "the events come before what comes of the first state"
                given  = { left = 14, right = 16 }
                events = [{ left_moved = { to = 15 } }, { right_moved = { to = 15 } }]
                expect = { left = 15, right = 15 }
                effects.left = "state.left + 1"
                [[tests]]
                name   = "without effects no feedback runs"
                expect = { left = 10, right = 20 }
                effects = {}

                """)
        #expect(outcome.errors == "")
        #expect(
            outcome.output == """
                ok    one goes all the way
                ok    both meet
                ok    the events come before what comes of the first state
                ok    without effects no feedback runs
                4 tests, 0 failed

                """)
    }

    @Test func failure_showsWhereEachStepCameFrom() throws {
        let outcome = try test(
            Self.levels + """
                [[tests]]
                name   = "meets"
                given  = { left = 17 }
                events = [{ left_moved = { to = 18 } }]
                expect = { left = 19 }
                effects.left = "state.left + 1"

                """)
        #expect(
            outcome.output == """
                FAIL  meets
                      levels  #0  left = 17, right = 20
                      levels  #1  left_moved(to: 18)  left 17 → 18  ← external
                      levels  #2  left_moved(to: 19)  left 18 → 19  ← left
                      levels  #3  left_moved(to: 20)  left 19 → 20  ← left
                  left: expected 19, found 20  (app.toml:19)
                1 test, 1 failed

                """)
        #expect(outcome.status == 1)
    }

    @Test func aTestThatNeverRests_failsAndSaysSo() throws {
        let text =
            Self.levels + """
                [[tests]]
                name   = "for ever"
                expect = {}
                effects = { left = "state.left - 1" }

                """
        let outcome = try test(text)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 + 50 + 1 + 2)
        #expect(lines[2] == "      levels  #1  left_moved(to: 9)  left 10 → 9  ← left")
        #expect(lines[27] == "      … 9,951 lines left out")
        #expect(lines[53] == "  `levels` does not stop: the test gave up after 10,000 steps")
        #expect(lines[54] == "1 test, 1 failed")
        #expect(outcome.status == 1)
        let json = try test(text, "--json")
        #expect(json.output.contains(#""eventsAfterEnd":0,"endless":true,"#))
    }

    private static let name = """
        [loops.main]
        state  = { name = "", error = "", code = 0 }
        events = { named = { name = "string" }, failed = { error = "string", code = "int" } }
        on     = { named = { set = { name = "event.name" } }, failed = { set = { error = "event.error", code = "event.code" } } }
        [loops.main.feedback.name]
        effect   = "missing:read_name"
        args     = [{ out = 64, as = "string" }, 64]
        fails-if = "result != 0"
        emit     = { event = "named", name = "out.name" }
        on-error = { event = "failed", error = "error.message", code = "error.code" }
        retry    = 1000000

        """

    @Test func aTable_hasResultErrnoAndOutParameters() throws {
        let outcome = try test(
            Self.name + """
                [[tests]]
                name   = "succeeds"
                expect = { name = "box", error = "" }
                effects.name = { out = { name = "'b' + 'ox'" } }
                [[tests]]
                name   = "fails"
                expect = { name = "", error = "it returned -1, errno 2 (no such file or directory)", code = 2 }
                effects.name = { result = -1, errno = 2 }
                [[tests]]
                name   = "fails without a reason"
                expect = { error = "it returned 7", code = -1 }
                effects.name = 7

                """)
        #expect(outcome.output.hasSuffix("3 tests, 0 failed\n"), "\(outcome.output)\(outcome.errors)")
    }

    @Test func anExpressionWithoutAValue_isTheFailureOfTheRun() throws {
        let outcome = try test(
            Self.levels + """
                [[tests]]
                name   = "divides"
                expect = {}
                effects.left = "1 / (state.left - 10)"

                """)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("`1 / 0` divides by zero"), "\(outcome.output)")
        #expect(outcome.output.contains("--> app.toml:18:"), "\(outcome.output)")
        #expect(outcome.output.contains("in loop `levels`, step 0, feedback:left"), "\(outcome.output)")
        let handled = try test(
            Self.name + """
                [[tests]]
                name   = "is handled"
                expect = { error = "`1 / 0` divides by zero", code = -1000 }
                effects.name = "1 / int(state.code)"

                """)
        #expect(handled.output.hasSuffix("1 test, 0 failed\n"), "\(handled.output)\(handled.errors)")
    }

    private static let lines = """
        [loops.main]
        state  = { text = "", count = 0, error = "", code = 0 }
        events = { line = { text = "string" }, ended = { lines = "int" }, failed = { error = "string", code = "int" } }
        [loops.main.on]
        line   = { set = { text = "state.text + event.text + ';'" } }
        ended  = { set = { count = "event.lines" } }
        failed = { set = { error = "event.error", code = "event.code" } }
        [loops.main.feedback.read]
        effect   = "std:lines"
        args     = ["'-'"]
        on-error = { event = "failed", error = "error.message", code = "error.code" }

        """

    @Test func anEffectThatEmits_emitsWhatTheTestLists_andMayFail() throws {
        let outcome = try test(
            Self.lines + """
                [[tests]]
                name   = "reads"
                expect = { text = "a;b;", count = 2, error = "" }
                effects.read = [{ line = { text = "'a'" } }, { line = { text = "'b'" } }, { ended = { lines = 2 } }]
                [[tests]]
                name   = "fails after a line"
                expect = { text = "a;", error = "gone", code = 7 }
                effects.read = [{ line = { text = "'a'" } }, { error = { message = "'gone'", code = 7 } }]
                [[tests]]
                name   = "emits one thing"
                expect = { count = 9 }
                effects.read = { ended = { lines = "9 + state.count" } }
                [[tests]]
                name   = "emits nothing"
                expect = { text = "", count = 0 }
                effects.read = []

                """)
        #expect(outcome.output.hasSuffix("4 tests, 0 failed\n"), "\(outcome.output)\(outcome.errors)")
    }

    @Test func timePasses_onlyWhenNothingElseCanHappen() throws {
        let outcome = try test(
            """
            [loops.main]
            state  = { typed = "", found = "", rang = 0 }
            events = { typed = { text = "string" }, found = { text = "string" }, rang = {} }
            [loops.main.on]
            typed = { set = { typed = "event.text" } }
            found = { set = { found = "state.found + event.text + ';'" } }
            rang  = { set = { rang = "state.rang + 1" } }
            [loops.main.feedback]
            search = { effect = "std:print", args = ["state.typed"], when = "state.typed != ''", debounce = "1h", emit = { event = "found", text = "state.typed" } }
            bell   = { effect = "missing:beep", on = "typed", delay = "24h", timeout = "1h", emit = { event = "rang" }, executor = "pool" }
            [[tests]]
            name   = "what is typed last is searched for, once"
            events = [{ typed = { text = "a" } }, { typed = { text = "ab" } }]
            expect = { typed = "ab", found = "ab;", rang = 0 }
            effects.search = 0
            [[tests]]
            name   = "each event rings"
            events = [{ typed = { text = "a" } }, { typed = { text = "ab" } }]
            expect = { found = "", rang = 2 }
            effects.bell = {}

            """)
        #expect(outcome.output.hasSuffix("2 tests, 0 failed\n"), "\(outcome.output)\(outcome.errors)")
    }

    @Test func itemsAndCases_haveRunsOfTheirOwn() throws {
        let outcome = try test(
            """
            [gears.news.messages]
            ready = {}
            [loops.main]
            initial = "waiting"
            shared  = { sum = 0 }
            states  = { waiting = { items = [1, 2, 3] }, ready = { name = "x" } }
            events  = { done = { n = "int" }, named = { name = "string" }, heard = {} }
            receive = { news.ready = { event = "heard" } }
            [loops.main.on]
            heard = {}
            done  = [{ from = "waiting", if = "state.sum + event.n < 60", set = { sum = "state.sum + event.n" } }, { from = "waiting", to = "ready", set = { sum = "state.sum + event.n" } }]
            named = { from = "ready", set = { name = "event.name" } }
            [loops.main.feedback]
            item = { effect = "missing:step_toward", in = "waiting", args = ["item", 0], trigger = { each = "state.items" }, emit = { event = "done", n = "result" } }
            name = { effect = "std:print", in = ["waiting", "ready"], args = ["state.case"], when = "state.case == 'ready'", emit = { event = "named", name = "string(result)" }, send = { gear = "news", message = "ready" } }
            [[tests]]
            name   = "all items, then the other case"
            expect = { case = "ready", sum = 60, name = "7" }
            effects = { item = "item * 10", name = "state.case == 'ready' ? 7 : -1" }

            """)
        #expect(outcome.output.hasSuffix("1 test, 0 failed\n"), "\(outcome.output)\(outcome.errors)")
    }
}
