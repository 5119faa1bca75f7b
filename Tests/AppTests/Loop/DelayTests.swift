import App
import HostLoopTesting
import Testing

/// Delayed transitions on a clock that the test advances.
@Suite(.timeLimit(.minutes(10))) struct DelayTests {
    private static let door = """
        config = { patience = { type = "duration", initial = "30s" } }
        [loops.door]
        initial = "closed"
        shared  = { count = 0 }
        states  = { closed = {}, open = { asked = 0 }, locked = {} }
        events  = { open = {}, ask = {}, shut = {} }
        [loops.door.on]
        open = { to = "open" }
        ask  = { from = "open", set = { asked = "state.asked + 1" } }
        shut = { to = "closed" }
        [loops.door.after]
        open   = [{ delay = "10s", if = "state.asked == 0", set = { count = "state.count + 1" } }, { delay = "config.patience", to = "closed" }]
        closed = { delay = "1h", to = "locked" }
        """

    @Test func transition_takesPlaceWhenTheCaseHasLasted() throws {
        let machine = try Machine(Self.door)
        #expect(machine.wait(.seconds(3599)).isEmpty)
        #expect(machine.wait(.seconds(1)) == [#"after:closed {"case":"locked","count":0}"#])
        #expect(machine.wait(.seconds(100_000)).isEmpty)
        #expect(machine.clock.timerCount == 0)
    }

    @Test func leavingTheCase_stopsItsTimer_andEnteringItAgainRestartsIt() throws {
        let machine = try Machine(Self.door)
        #expect(machine.wait(.seconds(3000)).isEmpty)
        try machine.send("open")
        #expect(machine.clock.timerCount == 2)
        try machine.send("shut")
        #expect(machine.clock.timerCount == 1)
        #expect(machine.wait(.seconds(3599)).isEmpty)
        #expect(machine.wait(.seconds(1)) == [#"after:closed {"case":"locked","count":0}"#])
    }

    @Test func reenteringTheSameCase_restartsItsTimer() throws {
        let machine = try Machine(Self.door)
        try machine.send("open")
        #expect(machine.wait(.seconds(9)).isEmpty)
        #expect(try machine.send("open") == [#"open {"case":"open","count":0,"asked":0}"#])
        #expect(machine.wait(.seconds(9)).isEmpty)
        #expect(machine.wait(.seconds(1)) == [#"after:open {"case":"open","count":1,"asked":0}"#])
        #expect(machine.wait(.seconds(19)).isEmpty)
        #expect(machine.wait(.seconds(1)) == [#"after:open {"case":"closed","count":1}"#])
    }

    @Test func transitionsWithoutTo_letTheTimeContinue_andAFalseConditionLetsItPass() throws {
        let machine = try Machine(Self.door)
        try machine.send("open")
        #expect(machine.wait(.seconds(5)).isEmpty)
        try machine.send("ask")
        #expect(machine.wait(.seconds(5)) == ["after:open -"])
        try machine.send("ask")
        #expect(machine.wait(.seconds(20)) == [#"after:open {"case":"closed","count":0}"#])
    }

    @Test func amongTransitionsOfOneDelay_theFirstThatHoldsIsApplied() throws {
        let machine = try Machine(
            """
            [loops.main]
            initial = "a"
            states  = { a = { n = 1 }, b = {}, c = {} }
            [loops.main.after]
            a = [{ delay = "1s", if = "state.n == 2", to = "b" }, { delay = "1000ms", to = "c" }]
            c = { delay = "0s", to = "b" }
            """)
        #expect(machine.wait(.seconds(1)) == [#"after:a {"case":"c"}"#, #"after:c {"case":"b"}"#])
    }

    @Test func twoThatAreDueAtOnce_doNotBothApply_whenTheFirstLeavesTheCase() throws {
        let machine = try Machine(
            """
            [loops.main]
            initial = "a"
            shared  = { n = 0 }
            states  = { a = {}, b = {} }
            events  = { tick = {} }
            [loops.main.on]
            tick = { to = "a" }
            [loops.main.after]
            a = [{ delay = "1s", to = "b", set = { n = "state.n + 1" } }, { delay = "2s", to = "b", set = { n = "state.n + 10" } }]
            b = { delay = "1s", to = "a", if = "state.n < 3" }
            """)
        #expect(
            machine.wait(.seconds(10)) == [
                #"after:a {"case":"b","n":1}"#, #"after:b {"case":"a","n":1}"#,
                #"after:a {"case":"b","n":2}"#,
                #"after:b {"case":"a","n":2}"#, #"after:a {"case":"b","n":3}"#, "after:b -",
            ])
    }

    @Test func eventIsRecordedWithItsDelay_andItsOrigin() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [loops.main]
            initial = "a"
            states  = { a = {}, b = {} }
            until   = "state.case == 'b'"
            after   = { a = { delay = "1ms", to = "b" } }
            """)
        #expect(end.outcome == .done)
        #expect(run.steps == [#"{"case":"a"}"#, #"after:a{"delay":"0.001s"} {"case":"b"}"#])
        #expect(run.origins == ["after:a"])
    }

    @Test func app_doesNotEndWhileADelayIsLeft() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [loops.main]
            initial = "a"
            states  = { a = {}, b = {}, c = {} }
            after   = { a = { delay = "1ms", to = "b" }, b = { delay = "1ms", to = "c" } }
            """)
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(run.steps.last == #"after:b{"delay":"0.001s"} {"case":"c"}"#)
    }
}
