import App
import Diagnostics
import Dispatch
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

/// The instances of a loop with a key continue in the app of a changed manifest.
@Suite(.timeLimit(.minutes(10))) struct InstanceSuccessionTests {
    @Test func states_stepsAndCounters_continue() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        for key: LoopKey in ["a", "b", "a"] { try world.send(0, to: key) }
        await world.record.steps(5)
        let first = world.run
        #expect(
            try await world.change(
                to: ChangingWorld.item.replacing("n = 0", with: "more = true, n = 5").replacing(
                    "+ 1", with: "+ 10"))
                == [])
        await world.record.steps(7)
        #expect(
            Set(world.record.steps.suffix(2)) == [
                #"{"key":"a","more":true,"n":2}"#, #"{"key":"b","more":true,"n":1}"#,
            ])
        for key: LoopKey in ["a", "c"] { try world.send(0, to: key) }
        await world.record.steps(10)
        #expect(try world.state("a") == #"{"key":"a","more":true,"n":12}"#)
        #expect(try world.state("c") == #"{"key":"c","more":true,"n":15}"#)
        let counts = try world.port.instances(ofLoop: 0)
        #expect(counts.count == 3 && counts.steps == 5)
        #expect(counts.counters.made == 3 && counts.counters.stopped == 0)
        #expect(await first.finished().outcome == .followed)
        let end = await world.end()
        #expect(end.outcome == .stopped && end.counters.steps == 5 && end.counters.faults == 0)
    }

    @Test func effectsContinue_thatBothManifestsHave() async throws {
        let text =
            ChangingWorld.item + """
                [loops.item.feedback.say]
                effect = "std:print"
                args   = ["key + string(state.n)"]
                [loops.item.feedback.wait]
                effect = "std:exec"
                args   = ["['sleep', '1000']"]

                """
        let world = try ChangingWorld(text)
        for key: LoopKey in ["a", "b"] { try world.send(0, to: key) }
        await world.record.lines(4)
        #expect(world.record.lines.sorted() == ["a0", "a1", "b0", "b1"])
        func running() -> Int { world.run.running.count { $0 == "wait" } }
        #expect(running() == 2)
        // Nothing is said again, and the processes run.
        #expect(try await world.change(to: text.replacing("n = 0", with: "more = 1, n = 0")) == [])
        try world.send(0, to: "a")
        await world.record.line("a2")
        #expect(world.record.lines.count == 5 && running() == 2)
        // A feedback that says something else begins again in all instances. The processes are ended.
        let changed = text.replacing("key + string", with: "key + '=' + string")
            .replacing("[loops.item.feedback.wait]", with: "[loops.item.feedback.wait]\ndisabled = true")
        #expect(try await world.change(to: changed) == [])
        await world.record.lines(7)
        #expect(world.record.lines.suffix(2).sorted() == ["a=2", "b=1"])
        #expect(running() == 0)
        _ = await world.end()
    }

    private static let door = """
        [loops.door]
        key     = "string"
        initial = "closed"
        states  = { closed = {}, open = {} }
        events  = { open = {} }
        on.open = { to = "open" }
        after.open = { delay = "10s", to = "closed" }

        """

    /// All instances share one queue, also with those calls that the app before has made.
    @Test func aQueue_makesOneCallAtATime_alsoAcrossTheChange() async throws {
        let text =
            ChangingWorld.item + """
                [loops.item.feedback.say]
                on       = "add"
                effect   = "std:print"
                args     = ["key"]
                executor = "queue"

                """
        let calls = Lock((now: 0, most: 0))
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let world = try ChangingWorld(text) {
            calls.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            began.signal()
            mayEnd.wait()
            calls.withLock { $0.now -= 1 }
        }
        try world.send(0, to: "a")
        await began.passed()
        #expect(try await world.change(to: text.replacing("n = 0", with: "m = 0, n = 0")) == [])
        try world.send(0, to: "b")
        await world.record.until { $0.contains { $0.contains(#""key":"b","m":0,"n":1"#) } }
        // Threads for calls that block have had time for the second call.
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in
                LoopExecutor.blocking.run { continuation.resume() }
            }
        }
        for _ in 0..<2 { mayEnd.signal() }
        await world.record.lines(2)
        #expect(world.record.lines == ["a", "b"] && calls.withLock(\.most) == 1)
        _ = await world.end()
    }

    @Test func delaysContinue() async throws {
        let (clock, text) = (ManualClock(), Self.door)
        let world = try ChangingWorld(text, clock: clock)
        func timers(_ count: Int) async { while clock.timerCount != count { await Task.yield() } }
        try world.send(0, to: "a")
        await timers(1)
        clock.advance(by: .seconds(4))
        try world.send(0, to: "b")
        await timers(2)
        #expect(try await world.change(to: text + "[loops.other]\nevents = { no = {} }\non.no = {}\n") == [])
        await world.record.steps(7)
        clock.advance(by: .seconds(6))
        await world.record.steps(8)
        #expect(try world.state("a") == #"{"case":"closed","key":"a"}"#)
        #expect(try world.state("b") == #"{"case":"open","key":"b"}"#)
        clock.advance(by: .seconds(4))
        await world.record.steps(9)
        #expect(try world.state("b") == #"{"case":"closed","key":"b"}"#)
        _ = await world.end()
    }

    /// The step of one instance must not count as a step of the others, which continue after it.
    @Test func delaysContinue_whileAnotherInstanceEntersItsCase() async throws {
        let (clock, text) = (ManualClock(), Self.door)
        let world = try ChangingWorld(text, clock: clock)
        for key: LoopKey in ["a", "b"] { try world.send(0, to: key) }
        while clock.timerCount != 2 { await Task.yield() }
        clock.advance(by: .seconds(4))
        let (port, open) = (world.port, Record(world.manifest.loops[0].events[0].type))
        let refused = try await world.change(to: text + "# changed\n") {
            #expect((try? port.send(event: 0, payload: open, to: "a", ofLoop: 0)) == .queued)
        }
        #expect(refused == [])
        await world.record.steps(7)
        clock.advance(by: .seconds(6))
        await world.record.steps(8)
        #expect(try world.state("a") == #"{"case":"open","key":"a"}"#)
        #expect(try world.state("b") == #"{"case":"closed","key":"b"}"#)
        _ = await world.end()
    }

    @Test func theApp_endsWhenNothingIsLeft() async throws {
        let clock = ManualClock()
        let text =
            Self.door + """
                [loops.main]
                state = { n = 1 }
                [loops.main.feedback.open]
                send = { loop = "door", key = "'a'", event = "open" }

                """
        let world = try ChangingWorld(text, clock: clock, hasPort: false)
        await world.record.steps(3)
        while clock.timerCount != 1 { await Task.yield() }
        #expect(try await world.change(to: text.replacing("n = 1", with: "n = 2")) == [])
        await world.record.steps(5)
        clock.advance(by: .seconds(10))
        #expect(await world.run.finished().outcome == .nothingLeft(unreached: []))
        #expect(world.record.steps.last?.hasSuffix(#"{"case":"closed","key":"a"}"#) == true)
    }

    @Test func aLoopThatIsGone_ends_andANewOneBegins() async throws {
        let gone =
            ChangingWorld.item + """
                [loops.item.feedback.wait]
                effect = "std:exec"
                args   = ["['sleep', '1000']"]

                """
        let world = try ChangingWorld(gone)
        try world.send(0, to: "a")
        await world.record.steps(2)
        let first = world.run
        #expect(try await world.change(to: gone.replacing("loops.item", with: "loops.other")) == [])
        #expect(try world.state("a") == nil)
        #expect(await first.finished().outcome == .followed)
        try world.send(0, to: "a")
        await world.record.steps(4)
        #expect(try world.state("a") == #"{"key":"a","n":1}"#)
        let end = await world.end()
        #expect(end.counters.steps == 2)
    }

    /// Another loop sends through gears whose order changes. What an instance has sent is not sent again.
    @Test func messages_reachTheInstances_andTheirsAreSentOnce() async throws {
        func text(_ gears: String) -> String {
            gears + """
                [loops.item]
                key    = "string"
                state  = { n = 0 }
                events = { add = {} }
                on.add = { set = { n = "state.n + 1" } }
                [loops.item.feedback.tell]
                when = "state.n > 0"
                send = { gear = "report", message = "count", of = "key" }
                [loops.main]
                state  = { heard = 0 }
                events = { heard = { of = "string" }, order = { key = "string" } }
                on.heard = { set = { heard = "state.heard + 1" } }
                on.order = {}
                receive = { report.count = { event = "heard", of = "message.of" } }
                [loops.main.feedback.add]
                on   = "order"
                send = { loop = "item", key = "event.key", event = "add" }

                """
        }
        let first = "[gears.report]\nmessages = { count = { of = \"string\" } }\n"
        let second = "[gears.aside]\nmessages = { no = {} }\n" + first
        let world = try ChangingWorld(text(first))
        func heard() throws -> String { try world.port.state(ofLoop: 1).state.value.json }
        func order(_ key: String) throws {
            let loop = world.manifest.loops[1]
            let event = try #require(loop.events.firstIndex { $0.name == "order" })
            let payload = try Record(loop.events[event].type, jsonValue: .record([("key", .string(key))]))
            #expect(try world.port.send(event: event, payload: payload, toLoop: 1) == .queued)
        }
        for key in ["a", "b"] { try order(key) }
        await world.record.until { $0.count { $0.hasPrefix("heard") } == 2 }
        #expect(try await world.change(to: text(second)) == [])
        try order("c")
        try order("a")
        await world.record.until { steps in
            steps.count { $0.hasPrefix("heard") } == 3 && steps.contains { $0.contains(#""key":"a","n":2"#) }
        }
        #expect(try heard() == #"{"heard":3}"#)
        _ = await world.end()
    }

    /// Threads send through the first port while the manifest changes again and again.
    @Test func noEventIsLost_underLoad() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        let (port, loop) = (world.port, world.manifest.loops[0])
        async let sent = withThrowingTaskGroup(of: Int.self) { group in
            for thread in 0..<3 {
                group.addTask {
                    let payload = Record(loop.events[0].type)
                    for number in 0..<3000 {
                        let key = LoopKey.string("\((number + thread) % 40)")
                        guard try port.send(event: 0, payload: payload, to: key, ofLoop: 0) == .queued else {
                            return number
                        }
                    }
                    return 3000
                }
            }
            return try await group.reduce(0, +)
        }
        for round in 0..<12 {
            #expect(try await world.change(to: ChangingWorld.item + "# \(round)\n") == [])
        }
        #expect(try await sent == 9000)
        while try world.port.instances(ofLoop: 0).steps < 9000 { await Task.yield() }
        let page = try world.port.page(ofLoop: 0, after: nil, atMost: 100)
        let sum = page.loops.reduce(Int64(0)) { sum, instance in
            if case .int(let n)? = instance.state["n"] { sum + n } else { sum }
        }
        #expect(sum == 9000 && page.loops.count == 40)
        _ = await world.end()
    }
}
