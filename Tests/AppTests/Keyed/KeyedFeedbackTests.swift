import App
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

/// What the feedbacks of a loop with a key do: each instance has its own runs, and all share what is declared.
@Suite(.timeLimit(.minutes(10))) struct KeyedFeedbackTests {
    private static let library = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1");
        static int64_t same(int64_t n) { return n; }
        SPIN_EFFECT(int64_t, same, (int64_t n), "");
        static void forever(spin_call *call) { (void)call; }
        SPIN_EFFECT(void, forever, (spin_call *call), "");

        """

    @Test(arguments: ["", "executor = \"queue\"", "executor = \"pool\"", "debounce = \"1ms\""])
    func eachInstanceComparesItsOwnRequests(more: String) async throws {
        let world = try KeyedWorld(
            """
            [loops.item]
            key    = "int"
            state  = { n = 0, same = 0, answers = 0 }
            events = { set = { n = "int" }, again = {}, answered = { n = "int" } }
            on.set      = { set = { n = "event.n" } }
            on.again    = { set = { same = "state.same + 1" } }
            on.answered = { set = { answers = "state.answers + 1" } }
            [loops.item.feedback.ask]
            when   = "state.n > 0"
            effect = "lib:same"
            args   = ["state.n"]
            emit   = { event = "answered", n = "result" }
            \(more)
            [plugins.lib]
            library = "./lib.so"

            """, library: Self.library)
        // The same request in all instances: each has a run, and an equal request none.
        for key in 0..<20 { try world.send("set", [("n", .int(1))], to: .int(Int64(key))) }
        await world.record.until { $0.count { $0.hasPrefix("answered") } == 20 }
        for key in 0..<20 { try world.send("again", to: .int(Int64(key))) }
        await world.record.until { $0.count { $0.hasPrefix("again") } == 20 }
        for key in 0..<20 where key % 2 == 0 { try world.send("set", [("n", .int(2))], to: .int(Int64(key))) }
        await world.record.until { $0.count { $0.hasPrefix("answered") } == 30 }
        for key in 0..<20 {
            let n = key % 2 == 0 ? 2 : 1
            #expect(
                try world.state(.int(Int64(key))) == #"{"key":\#(key),"n":\#(n),"same":1,"answers":\#(n)}"#)
        }
        #expect(world.record.faults == [])
        _ = await world.end()
    }

    /// An effect of an instance emits, and its emissions are messages to the instances that they name.
    @Test func emissionsOfAnInstance_reachOthersBySend() async throws {
        let world = try KeyedWorld(
            """
            [loops.item]
            key    = "int"
            state  = { n = 0, from = -1 }
            events = { spread = { most = "int" }, got = { n = "int", from = "int" } }
            on.spread = {}
            on.got    = { set = { n = "state.n + event.n", from = "event.from" } }
            [loops.item.feedback.spread]
            on     = "spread"
            effect = "lib:spread"
            args   = ["event.most"]
            send   = { loop = "item", key = "value.to", event = "got", n = "value.n", from = "key" }
            [plugins.lib]
            library = "./lib.so"

            """,
            library: """
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("lib", "1");
                SPIN_EMITTER(found, (int64_t, to), (int64_t, n));
                static void spread(spin_call *call, int64_t most) {
                    for (int64_t to = 0; to < most; to++)
                        found(call, to, to * 10);
                    spin_finish(call);
                }
                SPIN_EFFECT(void, spread, (spin_call *call, int64_t most), "");

                """)
        try world.send("spread", [("most", .int(4))], to: 2)
        try world.send("spread", [("most", .int(2))], to: 7)
        await world.record.until { $0.count { $0.hasPrefix("got") } == 6 }
        #expect(try world.state(0) == #"{"key":0,"n":0,"from":7}"#)
        #expect(try world.state(1) == #"{"key":1,"n":20,"from":7}"#)
        // Also the instance whose effect emits.
        #expect(try world.state(2) == #"{"key":2,"n":20,"from":2}"#)
        #expect(try world.state(3) == #"{"key":3,"n":30,"from":2}"#)
        #expect(world.record.faults == [])
        _ = await world.end()
    }

    @Test func runsOfTwoInstances_haveDifferentKeys() async throws {
        let world = try KeyedWorld(
            """
            [loops.item]
            key    = "string"
            events = { go = {} }
            on.go  = {}
            [loops.item.feedback.say]
            on     = "go"
            effect = "std:print"
            args   = ["run.key"]

            """)
        for key: LoopKey in ["a", "b", "a"] { try world.send("go", to: key) }
        await world.record.lines(3)
        let lines = world.record.lines
        #expect(Set(lines).count == 3 && lines.allSatisfy { $0.contains("/item/say/") }, "\(lines)")
        _ = await world.end()
    }

    /// Instances with lists. Each item has a run, which prints `text`.
    private struct Lists {
        let world: KeyedWorld

        init(printing text: String, _ more: String = "") throws {
            world = try KeyedWorld(
                """
                [loops.list]
                key    = "string"
                state  = { items = { type = ["int"] } }
                events = { set = { items = ["int"] } }
                on.set = { set = { items = "event.items" } }
                [loops.list.feedback.say]
                trigger = { each = "state.items" }
                effect  = "std:print"
                args    = ["\(text)"]
                \(more)

                """)
        }

        func set(_ items: [Int64], _ key: LoopKey) throws {
            try world.send("set", [("items", .list(items.map(Value.int)))], to: key)
        }

        func lines(_ count: Int) async -> [String] {
            await world.record.lines(count)
            return world.record.lines
        }
    }

    @Test func eachItemOfEachInstance_hasItsRun() async throws {
        let lists = try Lists(printing: "key + string(item)")
        try lists.set([1, 2], "a")
        try lists.set([2, 3], "b")
        _ = await lists.lines(4)
        try lists.set([2, 3], "a")
        #expect(await lists.lines(5).sorted() == ["a1", "a2", "a3", "b2", "b3"])
        _ = await lists.world.end()
    }

    @Test func eachItemsRun_hasAKeyOfItsOwn_andNowIsTheTimeOfTheInstance() async throws {
        let lists = try Lists(
            printing: "run.key",
            """
            [loops.list.feedback.began]
            effect = "std:print"
            args   = ["'began ' + string(now)"]
            when   = "size(state.items) == 0"
            """)
        // Later than the app began.
        try lists.set([9], "first")
        _ = await lists.lines(2)
        try lists.set([1, 2, 3], "a")
        let lines = await lists.lines(6)
        let (began, keys) = (lines.filter { $0.hasPrefix("began") }, lines.filter { !$0.hasPrefix("began") })
        #expect(Set(keys).count == 4, "\(keys)")
        #expect(began.count == 2 && began[0] < began[1], "\(began)")
        _ = await lists.world.end()
    }

    @Test func delaysOfInstances_runSideBySide() async throws {
        let clock = ManualClock()
        let world = try KeyedWorld(
            """
            [loops.door]
            key     = "string"
            initial = "closed"
            states  = { closed = {}, open = {} }
            events  = { open = {}, knock = {} }
            on.open = { to = "open" }
            on.knock = {}
            after.open = { delay = "10s", to = "closed" }

            """, clock: clock)
        func steps(_ count: Int, timers: Int) async {
            await world.record.steps(count)
            while clock.timerCount != timers { await Task.yield() }
        }
        try world.send("open", to: "a")
        await steps(2, timers: 1)
        clock.advance(by: .seconds(4))
        try world.send("open", to: "b")
        await steps(4, timers: 2)
        // Steps of another instance, and events that enter no case, do not begin the time again.
        try world.send("knock", to: "a")
        await steps(5, timers: 2)
        clock.advance(by: .seconds(6))
        await steps(6, timers: 1)
        #expect(try world.state("a") == #"{"case":"closed","key":"a"}"#)
        #expect(try world.state("b") == #"{"case":"open","key":"b"}"#)
        // Entering the case again does.
        clock.advance(by: .seconds(3))
        try world.send("open", to: "b")
        try world.send("knock", to: "b")
        // The feedbacks have seen the step before the next one is told.
        await steps(8, timers: 1)
        clock.advance(by: .seconds(9))
        #expect(try world.state("b") == #"{"case":"open","key":"b"}"#)
        #expect(clock.timerCount == 1)
        clock.advance(by: .seconds(1))
        await steps(9, timers: 0)
        #expect(try world.state("b") == #"{"case":"closed","key":"b"}"#)
        _ = await world.end()
    }

    @Test func aFault_namesItsInstance_andTheOthersGoOn() async throws {
        let world = try KeyedWorld(
            """
            [loops.item]
            key    = "string"
            state  = { n = 0 }
            events = { divide = { by = "int" } }
            on.divide = { set = { n = "100 / event.by" } }
            [loops.item.feedback.half]
            when   = "state.n > 0"
            effect = "lib:same"
            args   = ["state.n"]
            fails-if = "result == 50"
            [plugins.lib]
            library = "./lib.so"

            """, library: Self.library)
        try world.send("divide", [("by", .int(0))], to: "a")
        try world.send("divide", [("by", .int(2))], to: "b")
        try world.send("divide", [("by", .int(4))], to: "c")
        await world.record.until { $0.count { $0.hasPrefix("divide") } == 2 }
        // In a worker the call may still run after both steps.
        await waitUntil { world.record.faults.count == 2 }
        let end = await world.end()
        #expect(end.counters.faults == 2 && end.counters.steps == 2)
        #expect(
            world.record.faults.sorted().map { $0.prefix(22) } == [
                "item 0 reducer: `100 /", "item 1 feedback:half: ",
            ], "\(world.record.faults)")
    }

    /// An effect that never ends belongs to its instance. The end of the app cancels it.
    @Test func theEndOfTheApp_cancelsTheEffectsOfAllInstances() async throws {
        let world = try KeyedWorld(
            """
            [loops.item]
            key    = "int"
            events = { go = {} }
            on.go  = {}
            [loops.item.feedback.wait]
            effect = "lib:forever"
            [plugins.lib]
            library = "./lib.so"

            """, library: Self.library)
        for key in 0..<100 { try world.send("go", to: .int(Int64(key))) }
        await world.record.steps(200)
        #expect(world.run.running.count { $0 == "wait" } == 100)
        let end = await world.end()
        #expect(end.abandoned == [] && end.outcome == .stopped)
    }
}
