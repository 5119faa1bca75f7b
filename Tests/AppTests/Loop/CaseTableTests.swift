import HostLoopTesting
import TestSupport
import Testing

@testable import App

/// What happens in a case, in one place: `in.CASE`.
struct CaseTableTests {
    private static let door = """
        app.name = "door"
        [loops.door]
        initial = "shut"
        shared  = { opened = 0, pushed = 0 }
        states  = { shut = {}, open = { by = "" }, locked = {} }
        events  = { push = { who = "string" }, lock = {} }

        """

    private static let apart = """
        [loops.door.on]
        push = [
            { from = "shut", to = "open", set = { opened = "state.opened + 1", by = "event.who" } },
            { from = "open", if = "event.who == state.by", to = "shut" },
            { from = "open", set = { by = "state.by + event.who" } },
            { set = { pushed = "state.pushed + 1" } },
        ]
        lock = { from = "shut", to = "locked" }
        [loops.door.after]
        open   = [{ delay = "3s", to = "shut" }]
        locked = { delay = "5s", to = "shut", set = { pushed = 0 } }
        """

    private static let together = """
        [loops.door.on]
        push = { set = { pushed = "state.pushed + 1" } }

        [loops.door.in.shut.on]
        push = { to = "open", set = { opened = "state.opened + 1", by = "event.who" } }
        lock = { to = "locked" }

        [loops.door.in.open]
        after = [{ delay = "3s", to = "shut" }]
        [loops.door.in.open.on.push]
        let   = { is_mine = "event.who == state.by" }
        cases = [{ if = "is_mine", to = "shut" }, { set = { by = "state.by + event.who" } }]

        [loops.door.in.locked]
        after = { delay = "5s", to = "shut", set = { pushed = 0 } }
        """

    @Test func bothForms_areTheSameLoop() throws {
        let machines = [try Machine(Self.door + Self.apart), try Machine(Self.door + Self.together)]
        func both(_ act: (Machine) throws -> [String]) throws -> [String] {
            let told = try machines.map(act)
            #expect(told[0] == told[1])
            return told[0]
        }
        let push = { (who: String) in try both { try $0.send("push", #"{"who": "\#(who)"}"#) } }
        #expect(try push("a") == [#"push {"case":"open","opened":1,"pushed":0,"by":"a"}"#])
        #expect(try push("b") == [#"push {"case":"open","opened":1,"pushed":0,"by":"ab"}"#])
        #expect(try push("ab") == [#"push {"case":"shut","opened":1,"pushed":0}"#])
        #expect(try both { try $0.send("lock") } == [#"lock {"case":"locked","opened":1,"pushed":0}"#])
        #expect(try push("c") == [#"push {"case":"locked","opened":1,"pushed":1}"#])
        for machine in machines { machine.clock.advance(by: .seconds(5)) }
        #expect(try both { $0.told() }.last?.hasSuffix(#"{"case":"shut","opened":1,"pushed":0}"#) == true)
        _ = try push("d")
        for machine in machines { machine.clock.advance(by: .seconds(3)) }
        #expect(try both { $0.told() }.last?.hasSuffix(#"{"case":"shut","opened":2,"pushed":0}"#) == true)
    }

    @Test func feedbacksOfACase_runInIt() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [loops.door]
            initial = "shut"
            shared  = { n = 0 }
            states  = { shut = {}, open = {} }
            events  = { told = {} }
            until   = "state.n == 4"
            on.told = [
                { from = "shut", to = "open", set = { n = "state.n + 1" } },
                { from = "open", to = "shut", set = { n = "state.n + 1" } },
            ]
            [loops.door.in.open.feedback.say]
            effect = "std:print"
            args   = ["'open ' + string(state.n)"]
            emit   = { event = "told" }
            [loops.door.in.shut]
            feedback = { hint = { effect = "std:print", args = ["'shut ' + string(state.n)"], emit = { event = "told" } } }
            """)
        #expect(run.lines == ["shut 0", "open 1", "shut 2", "open 3", "shut 4"])
    }
}
