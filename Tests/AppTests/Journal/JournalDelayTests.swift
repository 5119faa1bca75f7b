import App
import HostLoop
import HostLoopTesting
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// When the delays of cases (`after`) end, as other processes continue their journal.
@Suite(.timeLimit(.minutes(10))) struct JournalDelayTests {
    private static let waiting = """
        [loops.main]
        initial = "a"
        shared  = { log = "" }
        states  = { a = {}, b = {} }
        events  = { note = {} }
        until   = "state.case == 'b'"
        on.note = { set = { log = "state.log + 'n'" } }
        [loops.main.after]
        a = [
            { delay = "3h", set = { log = "state.log + '3'" } },
            { delay = "1h", set = { log = "state.log + '1'" } },
            { delay = "4h", to = "b" },
            { delay = "2h", set = { log = "state.log + '2'" } },
        ]

        """

    /// A journal whose loop has entered its case at midnight of a day that is over, and has had events at other times.
    private func journal(_ world: JournalWorld, notes: [String] = []) throws {
        var made = JournalImport(
            world.manifest, AppJournal.Host(version: "0", manifest: "app.toml"), to: world.store, time: 0)
        let lines =
            [
                #"{"loop":"main","step":0,"state":{"case":"a","log":""},"origin":"initial","time":"2026-01-01T00:00:00Z"}"#
            ]
            + notes.enumerated().map { index, time in
                let log = String(repeating: "n", count: index + 1)
                return """
                    {"loop":"main","step":\(index + 1),"event":"note","payload":{},"state":{"case":"a","log":"\(log)"},\
                    "origin":"external","time":"2026-01-01T\(time)Z"}
                    """
            }
        for line in lines { try made.take(try Value(json: line)) }
        try made.finish()
    }

    @Test func `transitions that were due meanwhile happen at once, in the order of their times`()
        async throws
    {
        let world = try JournalWorld(Self.waiting)
        try journal(world)
        let (record, end) = try await world.run()
        #expect(end.outcome == .done)
        #expect(
            record.steps.map { $0.split(separator: " ").last } == [
                #"{"case":"a","log":""}"#, #"{"case":"a","log":"1"}"#, #"{"case":"a","log":"12"}"#,
                #"{"case":"a","log":"123"}"#, #"{"case":"b","log":"123"}"#,
            ])
    }

    @Test func `with paused timers, the time that processes ran counts`() async throws {
        let world = try JournalWorld(
            Self.waiting, journal: "durable = \"every-step\"\ntimers = \"pause\"")
        try journal(world, notes: ["00:20:00", "01:30:00"])
        // The journal has no transition of the first hour, so it is due at once.
        let process = try JournalProcess(world, world.store)
        await waitUntil { process.clock.timerCount == 4 }
        process.clock.advance(by: .zero)
        await process.record.until { $0.last?.hasSuffix(#""log":"nn1"}"#) == true }
        await waitUntil { process.clock.timerCount == 3 }
        process.clock.advance(by: .seconds(1800) - .microseconds(1))
        #expect(process.clock.timerCount == 3)
        process.clock.advance(by: .microseconds(1))
        await process.record.until { $0.last?.hasSuffix(#""log":"nn12"}"#) == true }
        process.clock.advance(by: .seconds(7200))
        #expect(await process.run.finished().outcome == .done)
        #expect(process.record.steps.last?.hasSuffix(#"{"case":"b","log":"nn123"}"#) == true)
        process.app.close()
    }

    @Test func `a transition whose time was over in an earlier process does not happen again`() async throws {
        let world = try JournalWorld(Self.waiting)
        var store = world.store
        for (hours, log) in [(1, "1"), (2, "12"), (3, "123")] {
            let process = try JournalProcess(world, store)
            await waitUntil { process.clock.timerCount == 5 - hours }
            // The next one is due in this process, as no time passes between the processes.
            process.clock.advance(by: .seconds(3600 * hours))
            await process.record.until { $0.last?.hasSuffix(#""log":"\#(log)"}"#) == true }
            try await JournalProcess.isKnown((1...4).map { $0 > hours ? 1 : 0 }, in: store)
            store = await process.killed(store)
            #expect(process.record.steps.count == 2)
        }
        let last = try JournalProcess(world, store)
        await waitUntil { last.clock.timerCount == 1 }
        last.clock.advance(by: .seconds(4 * 3600))
        #expect(await last.run.finished().outcome == .done)
        #expect(last.record.steps.last?.hasSuffix(#"{"case":"b","log":"123"}"#) == true)
        last.app.close()
    }

    @Test func `from each point, a case that is entered again has its delays again`() async throws {
        let world = try JournalWorld(
            """
            [loops.main]
            initial = "a"
            shared  = { log = "" }
            states  = { a = {}, b = {} }
            until   = "state.case == 'b'"
            [loops.main.after]
            a = [
                { delay = "4ms", to = "b", set = { log = "state.log + '4'" } },
                { delay = "2ms", if = "state.log == '1'", to = "a", set = { log = "state.log + '2'" } },
                { delay = "1ms", set = { log = "state.log + '1'" } },
            ]

            """, journal: "interval = \"1ms\"")
        _ = try await world.run()
        let whole = ["main": #"{"case":"b","log":"1214"}"#]
        #expect(try JournalWorld.states(world.store) == whole)
        for number in 1...(try #require(try world.store.last()).number) {
            let store = world.store.reopened(upTo: number)
            let journal = try world.journal(store)
            journal.close()
            guard journal.recovery?.end == nil else { break }
            _ = try await world.run(store)
            #expect(try JournalWorld.states(store) == whole, "\(number)")
        }
    }

    @Test func `an imported transition is over, and one that enters its case again is not`() async throws {
        for (target, isOver) in [("", true), (", to = \"a\"", false)] {
            let world = try JournalWorld(
                Self.waiting.replacing("log + '1'\" }", with: "log + '1'\" }\(target)"))
            var made = JournalImport(
                world.manifest, AppJournal.Host(version: "0", manifest: "app.toml"), to: world.store, time: 0)
            for line in [
                #"{"loop":"main","step":0,"state":{"case":"a","log":""},"origin":"initial","time":"2026-01-01T00:00:00Z"}"#,
                #"{"loop":"main","step":1,"event":"after:a","payload":{"delay":"3600s"},"state":{"case":"a","log":"1"},"#
                    + #""origin":"after:a","time":"2026-01-01T01:00:00Z"}"#,
            ] { try made.take(try Value(json: line)) }
            try made.finish()
            let delays = try JournalReader(world.store).end().state.loops[0].feedbacks
            #expect(delays.map(\.isOver) == [isOver, false, false, false])
            guard isOver else { continue }
            let (record, end) = try await world.run()
            #expect(end.outcome == .done)
            let logs = record.steps.map { $0.firstMatch(of: #/"log":"(\d*)"/#).map { String($0.1) } ?? "" }
            #expect(logs == ["1", "12", "123", "123"], "\(record.steps)")
        }
    }
}
