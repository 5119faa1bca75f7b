import Diagnostics
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// What a watched loop with a key tells of its instances.
@Suite(.timeLimit(.minutes(10))) struct InstanceWatchTests {
    private static let item = """
        [loops.item]
        key    = "string"
        state  = { n = 0, print = false }
        events = { add = {}, say = {}, odd = {}, divide = {}, quit = {}, stay = {}, over = {} }
        until  = "state.n < 0"
        [loops.item.on]
        add    = { set = { n = "state.n + 1", print = "false" } }
        say    = { set = { print = "true" } }
        divide = { set = { n = "state.n / 0" } }
        quit   = { set = { n = "-1" } }
        stay   = {}
        over   = {}
        [loops.item.feedback.print]
        when   = "state.print"
        effect = "std:print"
        args   = ["key"]
        [loops.item.feedback.last]
        on     = "stay"
        effect = "std:after"
        args   = ["1h"]
        emit   = { event = "over" }

        """

    /// The lines of activities: the instance, and what it did.
    private func lines(_ activities: [AppActivity]) -> [String] {
        activities.map { activity in
            let place = activity.key.map { "\($0)" } ?? "–"
            return switch activity.content {
            case .step(let step, _): "\(place) #\(step.index) \(step.event) \(step.place)"
            case .gap(let steps, let until, let state): "gap \(steps) to \(until) \(state == nil)"
            case .unhandled(let event, _, _): "\(place) \(event) not handled"
            case .run(let run): "\(place) \(run.feedback) \(run.number) \(run.state)"
            case .fault(let fault): "\(place) \(fault.diagnostic.code.rawValue) #\(fault.step)"
            case .message: "message"
            }
        }
    }

    @Test func `Steps, runs, faults and unhandled events have the key of their instance`() async throws {
        let world = try KeyedWorld(Self.item, observed: false)
        await waitUntil { world.port.hasBegun }
        try world.send("add", to: "a")
        await waitUntil { try! world.port.counters(ofLoop: 0).steps == 1 }
        world.port.watch(loop: 0)
        var cursor = world.port.cursor(of: [0], [.steps, .runs, .faults])
        for (event, key) in [
            ("add", "a"), ("say", "b"), ("say", "a"), ("odd", "b"), ("divide", "b"), ("quit", "a"),
        ] { try world.send(event, to: LoopKey(stringLiteral: key)) }
        var seen: [String] = []
        await waitUntil {
            seen += lines(world.port.activities(after: &cursor).kept)
            return seen.contains { $0.hasPrefix("a #4") } && seen.contains { $0.hasPrefix("b E") }
                && seen.count { $0.hasSuffix("ended") } == 2
        }
        #expect(
            seen.filter { $0.hasPrefix("a") } == [
                "a #2 add item/a", "a #3 say item/a", "a print 1 began", "a print 1 ended",
                "a #4 quit item/a",
            ])
        #expect(
            seen.filter { $0.hasPrefix("b") } == [
                "b #1 say item/b", "b print 1 began", "b print 1 ended", "b odd not handled", "b E031 #1",
            ])
        let counts = try #require(world.port.watchedCounts(ofLoop: 0))
        let print = try #require(counts.runs.first { $0.feedback == "print" })
        // Both instances have a run with the number 1.
        #expect(print.began == 2)
        #expect(print.ended == 2)
        #expect(print.open == 0)
        #expect(print.times.count == 2)
        #expect(counts.events.reduce(0) { $0 + $1.handled } == 4)
        #expect(counts.events.reduce(0) { $0 + $1.unhandled } == 1)
        world.port.unwatch(loop: 0)
        try world.send("add", to: "b")
        await waitUntil { try! world.port.counters(ofLoop: 0).steps == 6 }
        #expect(world.port.watchedCounts(ofLoop: 0) == nil && world.port.keptSteps(ofLoop: 0).isEmpty)
        _ = await world.end()
    }

    @Test(arguments: [false, true])
    func `Steps that are too many become one gap over all instances`(_ countsFromStart: Bool) async throws {
        let record = RecordedRun()
        let app = try record.app(Self.item)
        defer { app.close() }
        let port = AppPort(app.manifest, countsFromStart: countsFromStart, statesCame: {})
        let run = app.makeRun(observer: nil, port: port)
        run.start()
        await waitUntil { port.hasBegun }
        port.watch(loop: 0)
        var cursor = port.cursor(of: [0], [.steps, .faults])
        let payload = Record(app.manifest.loops[0].events[0].type)
        func send(_ count: Int) async throws {
            let before = try port.counters(ofLoop: 0).steps
            for index in 0..<count {
                #expect(
                    try port.send(event: 0, payload: payload, to: .int(Int64(index % 50)).text, ofLoop: 0)
                        == .queued)
            }
            await waitUntil { try! port.counters(ofLoop: 0).steps == before + UInt64(count) }
        }
        // A run that lasts all the time.
        let stay = Record(app.manifest.loops[0].events[5].type)
        _ = try port.send(event: 5, payload: stay, to: "stays", ofLoop: 0)
        await waitUntil { port.watchedCounts(ofLoop: 0)?.runs.contains { $0.began == 1 } == true }
        try await send(49_999)
        #expect(port.isBehind(cursor))
        #expect(port.watches[0].state.withLock { $0.kind?.watch?.isOpen } == countsFromStart)
        // A fault is kept all the same.
        let divide = try #require(app.manifest.loops[0].events.firstIndex { $0.name == "divide" })
        let nothing = Record(app.manifest.loops[0].events[divide].type)
        #expect(try port.send(event: divide, payload: nothing, to: "7", ofLoop: 0) == .queued)
        await waitUntil { try! port.counters(ofLoop: 0).faults == 1 }
        var (lost, seen) = (0, [AppActivity]())
        await waitUntil {
            let new = port.activities(after: &cursor)
            (lost, seen) = (lost + new.lost, seen + new.kept)
            return new.kept.contains { $0.missedSteps > 0 }
        }
        #expect(lines(seen.filter { $0.kind == .faults }) == ["7 E031 #1000"])
        seen.removeAll { $0.kind == .faults }
        let gaps = seen.filter { $0.missedSteps > 0 }
        #expect(gaps.count == 1 && lines(gaps)[0].hasSuffix(" to 50000 true"))
        #expect(lost + seen.reduce(0) { $0 + Int(max(1, $1.missedSteps)) } == 50_000)
        try await send(3)
        var after: [String] = []
        await waitUntil {
            after += lines(port.activities(after: &cursor).kept)
            return after.count == 3
        }
        #expect(after == ["0 #1001 add item/0", "1 #1001 add item/1", "2 #1001 add item/2"])
        let counts = try #require(port.watchedCounts(ofLoop: 0))
        #expect(counts.events.reduce(0) { $0 + $1.handled } == 50_003)
        // Counts from the start know that it has not ended.
        #expect(counts.runs.first { $0.feedback == "last" }?.open == (countsFromStart ? 1 : 0))
        port.unwatch(loop: 0)
        run.stop()
        _ = await run.finished()
    }

    /// The watch opens again while an instance is in its turn, which nobody observes.
    @Test func `Steps that nobody saw become a gap before the next step`() throws {
        let record = RecordedRun()
        let app = try record.app(Self.item)
        defer { app.close() }
        let watch = LoopWatch(0, of: app.manifest, countsFromStart: false, ActivityOrder(came: {}))
        let keyed = KeyedWatch<LoopKey, Record, AppEvent> {
            InstanceWatch(WatchedInstance(key: $0, number: $1), of: watch)
        }
        let steps = StepCount()
        watch.begins(keyed, steps: steps)
        #expect(!keyed.isOpen)
        watch.open(nil)
        #expect(keyed.isOpen)
        var seen: UInt64 = 0
        let loop = app.manifest.loops[0]
        for (total, key) in [(1, "a"), (2, "b"), (6, "a")] as [(UInt64, LoopKey)] {
            steps.continue(at: total)
            watch.stepped(
                LoopStep(
                    index: total, event: AppEvent(index: 0, payload: Record(loop.events[0].type)),
                    origin: .outside, before: loop.initialState, after: loop.initialState, duration: .zero),
                of: WatchedInstance(key: key, number: 1))
        }
        #expect(
            lines(watch.activities(.steps, after: &seen).kept) == [
                "a #1 add item/a", "b #2 add item/b", "gap 3 to 5 true", "a #6 add item/a",
            ])
        #expect(seen == 6)
        watch.close(nil)
        #expect(!keyed.isOpen)
    }

    /// An instance that is in its turn when the watch opens again is seen from its next turn on.
    @Test func `Steps that nobody saw between two kept ones are a gap`() {
        let steps = StepCount()
        var watched = WatchedLoop([])
        watched.kind = WatchedLoop.Kind(watch: nil, steps: steps)
        func handled() -> Int { watched.events[0].handled }
        steps.continue(at: 10)
        #expect(watched.missedSteps == 0)
        watched.count(1, 0)
        watched.lastKept = 10
        steps.continue(at: 11)
        #expect(watched.missedSteps == 0)
        watched.count(1, 0)
        watched.lastKept = 11
        steps.continue(at: 15)
        #expect(watched.missedSteps == 3 && handled() == 2)
        watched.count(7, 0)
        #expect(handled() == 6)
        // A reader that comes late takes nothing back.
        #expect(watched.resume(at: 14, []) == 3 && watched.lastKept == 14 && handled() == 6)
        #expect(watched.resume(at: 12, []) == 0 && watched.lastKept == 14)
    }

    /// Counts from the start of the app know each run, also while nobody watches and when the manifest changes.
    @Test func `A run that lasts is counted once, whoever watches`() async throws {
        let text = """
            [loops.item]
            key    = "string"
            state  = { n = 0 }
            events = { wait = {}, over = {} }
            on.wait = { set = { n = "state.n + 1" } }
            on.over = {}
            [loops.item.feedback.last]
            on     = "wait"
            effect = "std:after"
            args   = ["1h"]
            emit   = { event = "over" }

            """
        let clock = ManualClock()
        let record = RecordedRun()
        let app = try record.app(text, clock: clock)
        defer { app.close() }
        let port = AppPort(app.manifest, countsFromStart: true, statesCame: {})
        let run = app.makeRun(observer: nil, port: port)
        run.start()
        await waitUntil { port.hasBegun }
        let payload = Record(app.manifest.loops[0].events[0].type)
        for key: LoopKey in ["a", "b"] { _ = try port.send(event: 0, payload: payload, to: key, ofLoop: 0) }
        func counts() throws -> WatchedCounts.Runs {
            try #require(port.watchedCounts(ofLoop: 0)?.runs.first { $0.feedback == "last" })
        }
        await waitUntil { (try? counts().began) == 2 }
        for _ in 0..<3 {
            port.watch(loop: 0)
            port.unwatch(loop: 0)
        }
        #expect(try counts().open == 2)
        clock.advance(by: .seconds(3600))
        await waitUntil { (try? counts().ended) == 2 }
        #expect(try counts().open == 0 && counts().times.count == 2)
        run.stop()
        _ = await run.finished()
    }

    @Test func `Runs are numbered over all instances, and forgotten ones are not known`() {
        var runs = InstanceRuns()
        func run(_ number: UInt64, _ feedback: Int = 0) -> EffectRun {
            EffectRun(feedback: "f", index: feedback, number: number)
        }
        let (a, b) = (WatchedInstance(key: "a", number: 1), WatchedInstance(key: "b", number: 2))
        // The key has begun again, and the runs of its first loop have not ended.
        let again = WatchedInstance(key: "a", number: 3)
        #expect(runs.begin(run(7), of: nil) == 7 && runs.end(run(7), of: nil) == 7)
        #expect(runs.begin(run(1), of: a) == 1 && runs.begin(run(1), of: b) == 2)
        #expect(runs.begin(run(1, 1), of: a) == 1 && runs.begin(run(1), of: again) == 3)
        #expect(runs.number(of: run(1), of: b) == 2 && runs.end(run(1), of: a) == 1)
        #expect(runs.end(run(1), of: a) == nil && runs.end(run(1), of: again) == 3)
        runs.forget()
        #expect(runs.end(run(1), of: b) == nil && runs.begin(run(2), of: b) == 4)
    }

    /// Counts from the start continue in the app of a changed manifest.
    @Test func `A changed manifest continues to watch the instances`() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        await waitUntil { world.port.hasBegun }
        let payload = Record(world.manifest.loops[0].events[0].type)
        _ = try world.port.send(event: 0, payload: payload, to: "a", ofLoop: 0)
        await waitUntil { try! world.port.counters(ofLoop: 0).steps == 1 }
        // Its receiver of messages is no run of an instance.
        #expect(try world.port.runs(ofLoop: 0).isEmpty)
        #expect(try await world.change(to: ChangingWorld.item + "# changed\n") == [])
        world.port.watch(loop: 0)
        var cursor = world.port.cursor(of: [0], [.steps])
        _ = try world.port.send(event: 0, payload: payload, to: "a", ofLoop: 0)
        var seen: [String] = []
        await waitUntil {
            seen += lines(world.port.activities(after: &cursor).kept)
            return !seen.isEmpty
        }
        #expect(seen == ["a #2 add item/a"])
        world.run.stop()
        _ = await world.run.finished()
    }
}

extension LoopKey {
    /// The text of this key as a key.
    fileprivate var text: LoopKey { .string("\(self)") }
}
