import App
import Testing

/// Loops of one app that talk to each other by `send` and `receive`, over several gears.
@Suite(.timeLimit(.minutes(10))) struct GearTalkTests {
    /// `left` says a number, `right` answers it with the next one; a third gear tells both the end.
    private static let manifest = """
        gears.up.messages   = { number = { n = "int" } }
        gears.down.messages = { number = { n = "int" } }
        gears.news.messages = { over = { last = "int" } }

        [loops.left]
        state   = { n = 0, last = -1 }
        events  = { heard = { n = "int" }, over = { last = "int" } }
        until   = "state.last == LIMIT && state.n == LIMIT"
        on      = { heard = { set = { n = "event.n" } }, over = { set = { last = "event.last" } } }
        receive = { down.number = { event = "heard", n = "message.n" }, news.over = { event = "over", last = "message.last" } }
        [loops.left.feedback]
        say     = { when = "state.n < LIMIT", send = { gear = "up", message = "number", n = "state.n" } }

        [loops.right]
        state   = { n = 0, last = -1 }
        events  = { heard = { n = "int" }, over = { last = "int" } }
        until   = "state.last == LIMIT && state.n == LIMIT"
        on      = { heard = { set = { n = "event.n" } }, over = { set = { last = "event.last" } } }
        receive = { up.number = { event = "heard", n = "message.n + 1" }, news.over = { event = "over", last = "message.last" } }
        [loops.right.feedback.answer]
        on   = "heard"
        send = [
            { gear = "down", message = "number", n = "event.n" },
            { gear = "news", message = "over", last = "event.n", if = "event.n == LIMIT" },
        ]

        """

    @Test func eachMessage_becomesAnEventOfTheOtherLoop() async throws {
        let observer = RecordedRun()
        let end = try await observer.run(Self.manifest.replacing("LIMIT", with: "3"))
        #expect(end.outcome == .done)
        #expect(end.counters.lostMessages == 0)
        #expect(end.counters.drops == 0)
        let heard = observer.steps.filter { $0.hasPrefix("heard") }
        // Of `right` and `left` in turn.
        #expect(
            heard.map { String($0.prefix { $0 != " " }) }
                == [1, 1, 2, 2, 3, 3].map { #"heard{"n":\#($0)}"# })
        #expect(observer.steps.filter { $0.hasPrefix(#"over{"last":3}"#) }.count == 2)
        #expect(Set(observer.origins) == ["gear:up.number", "gear:down.number", "gear:news.over"])
        #expect(observer.faults == [])
    }

    @Test func thousandsOfMessages_areNotLost() async throws {
        let observer = RecordedRun()
        let end = try await observer.run(Self.manifest.replacing("LIMIT", with: "5000"))
        #expect(end.outcome == .done)
        #expect(end.counters.lostMessages == 0)
        // 5000 answers, as many returned, and the end for both.
        #expect(end.counters.steps == 10_002)
    }
}
