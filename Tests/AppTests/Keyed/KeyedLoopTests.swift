import App
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

/// Loops with a key in a running app.
@Suite(.timeLimit(.minutes(10))) struct KeyedLoopTests {
    private static let order = """
        [loops.order]
        key    = "string"
        state  = { items = 0, paid = false }
        events = { added = { n = "int" }, paid = {} }
        until  = "state.paid"
        on     = { added = { set = { items = "state.items + event.n" } }, paid = { set = { paid = true } } }

        """

    private func added(_ number: Int64) -> [(String, Value)] { [("n", .int(number))] }

    // MARK: - Events

    @Test func otherLoopsSendToInstances_andTheAppEndsWhenNothingIsLeft() async throws {
        let record = RecordedRun()
        let end = try await record.run(
            Self.order + """
                [loops.order.feedback.say]
                when   = "state.paid"
                effect = "std:print"
                args   = ["key + ' ' + string(state.items)"]
                [loops.shop]
                state = { open = true }
                [loops.shop.feedback.place]
                when = "state.open"
                send = [
                    { loop = "order", key = "'a'", event = "added", n = 2 },
                    { loop = "order", key = "'b'", event = "added", n = 5 },
                    { loop = "order", key = "'a'", event = "added", n = 1, if = "!state.open" },
                    { loop = "order", key = "'a'", event = "paid" },
                ]

                """)
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(record.lines == ["a 2"])
        #expect(record.faults == [])
        #expect(end.counters.steps == 3 && end.counters.lostMessages == 0)
        #expect(Set(record.origins) == ["gear:order.added", "gear:order.paid"])
        #expect(record.steps.contains(#"added{"n":2} {"key":"a","items":2,"paid":false}"#))
    }

    /// An instance answers through a gear, which needs the key, and its answer makes another event.
    @Test func messagesGoBothWays() async throws {
        let record = RecordedRun()
        let end = try await record.run(
            """
            [gears.talk]
            messages = { ask = { who = "int" }, answer = { who = "int", n = "int" } }
            [loops.worker]
            key     = "int"
            state   = { asked = 0 }
            events  = { ask = {} }
            receive = { talk.ask = { event = "ask", key = "message.who" } }
            on.ask  = { set = { asked = "state.asked + 1" } }
            [loops.worker.feedback.answer]
            when = "state.asked > 0"
            send = { gear = "talk", message = "answer", who = "key", n = "state.asked" }
            [loops.main]
            state   = { left = 300, sum = 0 }
            events  = { answered = { who = "int", n = "int" } }
            until   = "state.sum == 3 * 5050"
            receive = { talk.answer = { event = "answered", who = "message.who", n = "message.n" } }
            on.answered = { set = { left = "state.left - 1", sum = "state.sum + event.n" } }
            [loops.main.feedback.ask]
            when = "state.left > 0"
            send = { gear = "talk", message = "ask", who = "state.left % 3" }

            """)
        // 300 questions to three workers, each of which counts to 100.
        #expect(end.outcome == .done)
        #expect(record.faults == [])
    }

    @Test func anInstanceThatIsDone_makesRoomForAnother_andItsLastStateIsKept() async throws {
        let clock = ManualClock()
        let world = try KeyedWorld(
            Self.order.replacing(
                "until ", with: "limit = 2\nkeep = \"10s\"\ncreates = \"added\"\nuntil "), clock: clock)
        #expect(try world.send("paid", to: "a") == .absent)
        #expect(try world.send("added", added(1), to: "a") == .queued)
        #expect(try world.send("added", added(2), to: "b") == .queued)
        #expect(try world.send("added", added(3), to: "c") == .limit)
        #expect(try world.send("paid", to: "a") == .queued)
        await world.record.until { $0.contains { $0.hasPrefix("paid") } }
        // The instance leaves after its step, on its executor.
        while try world.port.instances(ofLoop: 0).counters.stopped == 0 || clock.timerCount == 0 {
            await Task.yield()
        }
        #expect(try world.state("a") == #"{"key":"a","items":1,"paid":true}"#)
        #expect(try world.port.instances(ofLoop: 0).count == 1)
        clock.advance(by: .seconds(10))
        #expect(try world.state("a") == nil)
        #expect(try world.send("added", added(7), to: "a") == .queued)
        await world.record.until { $0.contains { $0.contains("7") } }
        #expect(try world.state("a") == #"{"key":"a","items":7,"paid":false}"#)
        let counters = try world.port.instances(ofLoop: 0).counters
        #expect(counters.made == 3 && counters.refusedByLimit == 1 && counters.refusedAsAbsent == 1)
        #expect(await world.end().outcome == .stopped)
    }

    @Test(arguments: [KeyModel.Kind.string, .int, .uint, .bytes])
    func keysOfEachType_areInTheState(kind: KeyModel.Kind) async throws {
        let world = try KeyedWorld(
            Self.order.replacing("key    = \"string\"", with: "key = \"\(kind.rawValue)\""))
        let (key, json): (LoopKey, String) =
            switch kind {
            case .string: (.string("a \"b\"/ü"), #""a \"b\"/ü""#)
            case .int: (.int(-7), "-7")
            case .uint: (.uint(.max), "18446744073709551615")
            case .bytes: (.bytes([0, 255]), #""AP8=""#)
            }
        try world.send("added", added(1), to: key)
        await world.record.steps(2)
        #expect(try world.state(key) == "{\"key\":\(json),\"items\":1,\"paid\":false}")
        let page = try world.port.page(ofLoop: 0, after: nil, atMost: 10)
        #expect(page.loops.map(\.key) == [key])
        _ = await world.end()
    }

    @Test func aKeyThatIsTooLong_isAFault_andNoInstance() async throws {
        let record = RecordedRun()
        let end = try await record.run(
            Self.order + """
                [loops.shop]
                state = { name = "\(String(repeating: "x", count: 1025))" }
                [loops.shop.feedback.place]
                send = { loop = "order", key = "state.name", event = "paid" }

                """)
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(
            record.faults.map { $0.prefix(60) } == [
                "order 0 gear:order.paid: a key has at most 1024 bytes, and t"
            ])
    }

    @Test func messagesThatInstancesRefuse_areCountedOnce() async throws {
        let record = RecordedRun()
        let end = try await record.run(
            Self.order.replacing("until ", with: "limit = 1\ncreates = \"added\"\nuntil ") + """
                [loops.shop]
                state = { open = true }
                [loops.shop.feedback.place]
                send = [
                    { loop = "order", key = "'a'", event = "paid" },
                    { loop = "order", key = "'a'", event = "added", n = 1 },
                    { loop = "order", key = "'b'", event = "added", n = 2 },
                ]

                """)
        #expect(end.counters.lostMessages == 2 && end.counters.drops == 0 && end.counters.steps == 1)
    }

    @Test func keysOfEqualLetters_butOtherBytes_areTwoInstances() async throws {
        let world = try KeyedWorld(Self.order)
        try world.send("added", added(1), to: "\u{e9}")
        try world.send("added", added(2), to: "e\u{301}")
        await world.record.steps(4)
        #expect(try world.port.instances(ofLoop: 0).count == 2)
        _ = await world.end()
    }

    /// Random events to random keys from several threads, against sums by hand.
    @Test(arguments: UInt64(1)...6, [false, true])
    func randomEvents_reachTheirInstances(seed: UInt64, observed: Bool) async throws {
        let world = try KeyedWorld(
            Self.order.replacing("key    = \"string\"", with: "key = \"int\""), observed: observed)
        let (keys, threads, events) = (50, 4, 2000)
        let (port, type) = (world.port, world.loop.events[0].type)
        let sums = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for thread in 0..<threads {
                group.addTask {
                    var generator = SeededGenerator(seed: seed * 100 + UInt64(thread))
                    var sums = [Int64](repeating: 0, count: keys)
                    for _ in 0..<events {
                        let key = Int.random(in: 0..<keys, using: &generator)
                        let number = Int64.random(in: 1...9, using: &generator)
                        var payload = Record(type)
                        try payload.set("n", to: .int(number))
                        #expect(
                            try port.send(event: 0, payload: payload, to: .int(Int64(key)), ofLoop: 0)
                                == .queued)
                        sums[key] += number
                    }
                    return sums
                }
            }
            return try await group.reduce(into: [Int64](repeating: 0, count: keys)) { total, sums in
                for key in 0..<keys { total[key] += sums[key] }
            }
        }
        while try world.port.counters(ofLoop: 0).steps < UInt64(threads * events) { await Task.yield() }
        var (found, cursor) = ([Int: Int64](), KeyedCursor?.none)
        repeat {
            let page = try world.port.page(ofLoop: 0, after: cursor, atMost: 7)
            for (key, state) in page.loops {
                guard case .int(let number) = key, case .int(let items)? = state["items"] else { continue }
                #expect(found.updateValue(items, forKey: Int(number)) == nil)
            }
            cursor = page.next
        } while cursor != nil
        #expect(
            found == Dictionary(uniqueKeysWithValues: sums.enumerated().filter { $0.1 > 0 }.map { ($0, $1) }))
        let end = await world.end()
        #expect(end.counters.steps == threads * events && end.counters.faults == 0)
    }

    @Test func statesOfInstances_areFollowedTogether() async throws {
        let world = try KeyedWorld(Self.order)
        world.port.follow(loop: 0)
        try world.port.takeUp(loop: 0)
        try world.send("added", added(1), to: "a")
        try world.send("added", added(2), to: "b")
        await world.record.steps(4)
        let states = world.port.takeStates().map(\.state.value.json)
        #expect(
            states == [
                #"{"key":"a","items":1,"paid":false}"#, #"{"key":"b","items":2,"paid":false}"#,
            ])
        world.port.unfollow(loop: 0)
        _ = await world.end()
    }
}
