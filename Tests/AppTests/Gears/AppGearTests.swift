import Manifest
import Records
import Testing

@testable import App

@Suite(.timeLimit(.minutes(10)))
struct AppGearTests {
    private static let manifest = """
        app.stay = STAY
        [gears.work]
        messages = { job = { n = "int" }, done = {} }
        [loops.worker]
        state   = { sum = 0, last = 0 }
        events  = { work = { n = "int" }, noted = {} }
        UNTIL
        receive = { work.job = [
            { event = "work", n = "message.n", if = "message.n > 0" },
            { event = "noted", if = "1000000 / (message.n + 3) > 0" },
        ] }
        [loops.worker.on]
        work  = { set = { sum = "state.sum + event.n", last = "event.n" } }
        noted = {}
        """

    private func start(
        _ observer: RecordedRun, stays: Bool = false, until: String = "", mailbox: String = ""
    ) throws -> (App, AppRun, @Sendable (Int64) -> Void) {
        let text = Self.manifest.replacing("STAY", with: "\(stays)")
            .replacing("UNTIL", with: (until.isEmpty ? "" : "until = \"\(until)\"\n") + mailbox)
        let app = try observer.app(text)
        let run = app.makeRun(observer: observer)
        let type = app.manifest.gears[0].messages[0].type
        return (
            app, run,
            { number in
                var payload = Record(type)
                try? payload.set("n", to: .int(number))
                run.gears.send(AppMessage(gear: 0, message: 0, payload: payload))
            }
        )
    }

    @Test func messages_becomeEvents_thatTellWhereTheyComeFrom() async throws {
        let observer = RecordedRun()
        let (app, run, send) = try start(observer, until: "state.last == 3")
        defer { app.close() }
        // Nobody is attached yet: they wait.
        for number in [2, 1, 3] as [Int64] { send(number) }
        run.start()
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(
            observer.steps == [
                #"{"sum":0,"last":0}"#, #"work{"n":2} {"sum":2,"last":2}"#,
                #"noted{} {"sum":2,"last":2}"#, #"work{"n":1} {"sum":3,"last":1}"#,
                #"noted{} {"sum":3,"last":1}"#, #"work{"n":3} {"sum":6,"last":3}"#,
            ])
        #expect(observer.origins == Array(repeating: "gear:work.job", count: 5))
    }

    @Test func failingExpression_isAFaultOfTheMessage_andMakesNoEvent() async throws {
        let observer = RecordedRun()
        let (app, run, send) = try start(observer)
        defer { app.close() }
        send(-3)
        run.start()
        let end = await run.finished()
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(observer.faults == ["worker 0 gear:work.job: `1000000 / 0` divides by zero"])
        #expect(observer.steps.count == 1)
    }

    @Test func app_doesNotEnd_whileAMessageIsOnItsWay() async throws {
        let observer = RecordedRun()
        let (app, run, send) = try start(observer)
        defer { app.close() }
        for number in 1...1000 as ClosedRange<Int64> { send(number) }
        run.start()
        let end = await run.finished()
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(end.counters.steps == 2000)
        #expect(end.counters.lostMessages == 0)
        let job = try #require(run.tally.messages(of: app.manifest.gears).first { $0.message == "job" })
        #expect([job.sent, job.delivered, job.lost] == [1000, 1000, 0])
    }

    @Test func appThatStays_continues_whenNothingCanHappen() async throws {
        let observer = RecordedRun()
        let (app, run, send) = try start(observer, stays: true)
        defer { app.close() }
        run.start()
        await observer.steps(1)
        for number in 1...3 as ClosedRange<Int64> {
            send(number)
            await observer.steps(1 + 2 * Int(number))
        }
        run.stop()
        #expect(await run.finished().outcome == .stopped)
    }

    @Test func fullMailbox_losesMessages_andCountsThem() async throws {
        let observer = RecordedRun()
        // Two events of each message need room for both.
        let (app, run, send) = try start(observer, mailbox: "mailbox = { capacity = 1 }")
        defer { app.close() }
        send(5)
        run.start()
        let end = await run.finished()
        #expect(end.counters.steps == 0)
        #expect(end.counters.drops == 2)
        #expect(end.counters.lostMessages == 1)
        let job = try #require(run.tally.messages(of: app.manifest.gears).first { $0.message == "job" })
        #expect([job.sent, job.delivered, job.lost] == [1, 0, 1])
    }
}
