import App
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

/// A run that is reached from outside.
@Suite(.timeLimit(.minutes(10)))
struct AppPortTests {
    /// Counts by itself for as long as `goes` holds, so that `n` is the number of the state.
    private static func counter(while goes: String) -> String {
        """
        [plugins.lib]
        library  = "./lib.so"
        declares = "long same(long n);"
        [loops.main]
        state  = { n = 0, text = "" }
        events = { counted = { n = "int" }, named = { text = "string" } }
        [loops.main.on]
        counted = { set = { n = "event.n" } }
        named   = { set = { n = "state.n + 1", text = "event.text" } }
        [loops.main.feedback.step]
        effect = "lib:same"
        when   = "\(goes)"
        args   = ["state.n + 1"]
        emit   = { event = "counted", n = "result" }

        """
    }

    private func app(_ text: String) throws -> App {
        try RecordedRun().app(text, library: "long same(long n) { return n; }")
    }

    private func number(_ state: AppState) -> Int64? {
        if case .int(let n)? = state.state["n"] { n } else { nil }
    }

    @Test func aState_hasItsNumber_whileTheLoopRunsOn() async throws {
        let app = try app(Self.counter(while: "true"))
        defer { app.close() }
        let port = AppPort(app.manifest, statesCame: {})
        #expect(throws: AppPort.NotBegun.self) { try port.state(ofLoop: 0) }
        #expect(!port.hasBegun)
        let run = app.makeRun(port: port)
        run.start()
        let states = try OtherThread.result {
            var states = [try port.state(ofLoop: 0)]
            while states.count < 5000 || states.last?.step == 0 { states.append(try port.state(ofLoop: 0)) }
            return states
        }
        run.stop()
        #expect(await run.finished().outcome == .stopped)
        #expect(states.allSatisfy { number($0) == Int64($0.step) })
        #expect(zip(states, states.dropFirst()).allSatisfy { $0.step <= $1.step })
        // Nobody follows it.
        #expect(port.takeStates().isEmpty)
    }

    @Test func aLoopThatIsFollowed_givesItsStatesInOrder_upToTheLast() async throws {
        let app = try app(Self.counter(while: "state.n < 20000"))
        defer { app.close() }
        let calls = Lock(0)
        let port = AppPort(app.manifest, statesCame: { calls.withLock { $0 += 1 } })
        let run = app.makeRun(port: port)
        port.follow(loop: 0)
        run.start()
        let steps = try OtherThread.result {
            try port.takeUp(loop: 0)
            var states: [AppState] = []
            while states.last?.step != 20000 { states += port.takeStates() }
            return states.map { (Int64($0.step), number($0)) }
        }
        #expect(steps.allSatisfy { $0.0 == $0.1 })
        // What was taken up may come behind a later state, once.
        #expect(zip(steps, steps.dropFirst()).count { $0.0 >= $1.0 } <= 1)
        #expect(calls.withLock { $0 } > 0)
        port.unfollow(loop: 0)
        // It goes on, though nothing can happen any more by itself.
        let text = try Record(app.manifest.loops[0].events[1].type, json: #"{"text":"more"}"#)
        #expect(try port.send(event: 1, payload: text, toLoop: 0) == .queued)
        var last: AppState
        repeat { last = try port.state(ofLoop: 0) } while last.step == 20000
        #expect(last.state.value.json == #"{"n":20001,"text":"more"}"#)
        #expect(port.takeStates().isEmpty)
        run.stop()
        #expect(await run.finished().outcome == .stopped)
        #expect(try port.send(event: 1, payload: text, toLoop: 0) == .stopped)
        #expect(try port.state(ofLoop: 0).step == 20001)
    }

    @Test func unreadStates_areDropped_exceptTheNewest() async throws {
        let app = try app(Self.counter(while: "state.n < 5000"))
        defer { app.close() }
        let port = AppPort(app.manifest, statesCame: {})
        let run = app.makeRun(port: port)
        port.follow(loop: 0)
        run.start()
        try blockUntil { try port.state(ofLoop: 0).step >= 5000 }
        let states = port.takeStates()
        #expect(states.count <= 256 && states.last?.step == 5000)
        run.stop()
        _ = await run.finished()
    }
}
