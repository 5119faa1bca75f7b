import HostLoop
import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// Each step asks only the feedbacks that it concerns. That must make no difference to what they do.
@Suite(.timeLimit(.minutes(10))) struct SelectionTests {
    /// What a run prints in answer to events, by loop.
    ///
    /// - Parameter sent: the names of events of the first loop, with the fields of each.
    private func printed(
        _ app: App, _ record: RecordedRun, _ sent: [(name: String, fields: [(String, Value)])],
        asksAll: Bool = false, isObserved: Bool, until ends: [String] = ["last", "olast"]
    ) async throws -> [String: [String]] {
        defer { app.close() }
        let port = AppPort(app.manifest, statesCame: {})
        let run = app.makeRun(
            observer: isObserved ? record : nil, port: port, succeeding: nil, asksAll: asksAll)
        run.start()
        let events = app.manifest.loops[0].events
        for (name, fields) in sent + [("last", [])] {
            let event = try #require(events.firstIndex { $0.name == name })
            var payload = Record(events[event].type)
            for (name, value) in fields { try payload.set(name, to: value) }
            #expect(try port.send(event: event, payload: payload, toLoop: 0) == .queued)
        }
        for end in ends { await record.line(end) }
        let lines = Dictionary(grouping: record.lines) { $0.hasPrefix("o") ? "other" : "main" }
        run.stop()
        _ = await run.finished()
        return lines
    }

    @Test(
        "of random apps, runs begin and end as if each step asked all feedbacks",
        .inThisProcess("lines of a worker and of the host have no one order"), arguments: 0..<8)
    func randomApps(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let plugin = try CompiledPlugin(RandomFeedbacks.plugin)
        for round in 0..<12 {
            let feedbacks = RandomFeedbacks(of: RandomMachine(using: &generator), using: &generator)
            let sent = (0..<40).map { _ in
                (
                    name: "e\(Int.random(in: 0...2, using: &generator))",
                    fields: [
                        ("n", Value.int(Int64.random(in: -30...60, using: &generator))),
                        (
                            "t",
                            .string(String(repeating: "x", count: .random(in: 0...3, using: &generator)))
                        ),
                    ]
                )
            }
            var runs: [[String: [String]]] = []
            for asksAll in [true, false] {
                let record = RecordedRun()
                let app = try record.app(feedbacks.manifest, plugin: plugin)
                runs.append(
                    try await printed(
                        app, record, sent, asksAll: asksAll, isObserved: round.isMultiple(of: 2)))
            }
            guard runs[0] == runs[1] else {
                Issue.record("\(runs[1]), not \(runs[0]):\n\(feedbacks.manifest)")
                return
            }
        }
    }

    private static let native = """
        [plugins.lib]
        library = "./lib.so"
        [gears.out]
        messages = { said = { text = "string" } }
        [loops.main]
        state   = { a = 0, b = 0, c = { type = "i32", initial = 0 }, name = "", pair = { x = 0, y = 0 }, unread = 0 }
        events  = { change = { field = "int", by = "int" }, mixed = { by = "int" }, last = {} }
        reducer = "lib:reduce"
        [loops.main.on]
        mixed = [{ if = "event.by % 2 == 0", set = { b = "event.by" } }, {}]
        last  = {}
        [loops.main.feedback]
        a     = { effect = "lib:hold", args = ["'a ' + string(state.a)"] }
        b     = { effect = "lib:hold", args = ["'b ' + string(state.b)"], when = "state.a != 3" }
        c     = { effect = "lib:hold", args = ["'c ' + string(state.c)"], trigger = "state" }
        name  = { effect = "lib:hold", args = ["'name ' + state.name"] }
        y     = { effect = "lib:hold", args = ["'y ' + string(state.pair.y)"] }
        all   = { effect = "lib:hold", args = ["json.encode(state)"] }
        mixed = { effect = "std:print", args = ["'mixed ' + string(event.by)"], on = "mixed" }
        other = { send = { gear = "out", message = "said", text = "'o' + state.name" } }
        last  = { effect = "std:print", args = ["'last'"], on = "last" }
        olast = { send = { gear = "out", message = "said", text = "'olast'" }, on = "last" }
        [loops.other]
        state    = {}
        events   = { said = { text = "string" } }
        receive  = { out = { said = { event = "said", text = "message.text" } } }
        on       = { said = {} }
        feedback = { print = { effect = "std:print", args = ["event.text"], on = "said" } }

        """

    private static let reducer = """
        #include "app.h"
        \(RandomFeedbacks.plugin)
        static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
            if (event->tag != MAIN_EVENT_CHANGE)
                return SPIN_UNHANDLED;
            int64_t by = event->as.change.by;
            switch (event->as.change.field) {
            case 0: state->a = by; break;
            case 1: state->b += by; break;
            case 2: state->c = (int32_t)by; break;
            case 3: state->pair.x = by; break;
            case 4: state->pair.y = by; break;
            case 5: state->unread = by; break;
            case 6: state->a = state->b = by; break;
            case 7: {
                char *text = spin_alloc(step, 2);
                text[0] = (char)('0' + by);
                text[1] = 0;
                state->name = (spin_string){text, 1};
                break;
            }
            default: break;
            }
            return SPIN_OK;
        }
        SPIN_REDUCER(reduce, main_state, main_event, "");

        """

    @Test(.inThisProcess("a worker has no native reducers"))
    func aNativeReducer_isAskedForNothing_itsStatesAreCompared() async throws {
        var generator = SeededGenerator(seed: 7)
        let sent = (0..<300).map { _ in
            let isMixed = Int.random(in: 0...5, using: &generator) == 0
            let by = ("by", Value.int(Int64.random(in: 0...3, using: &generator)))
            let field = ("field", Value.int(Int64.random(in: 0...8, using: &generator)))
            return (name: isMixed ? "mixed" : "change", fields: isMixed ? [by] : [by, field])
        }
        var runs: [[String: [String]]] = []
        for asksAll in [true, false] {
            let record = RecordedRun()
            let app = try record.app(Self.native, library: Self.reducer)
            runs.append(try await printed(app, record, sent, asksAll: asksAll, isObserved: false))
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0]["main"]!.contains { $0.hasPrefix("-name") })
    }

    /// A condition that faults says so each time that a step asks it.
    @Test func onlyFeedbacksThatReadWhatChanged_areAsked() async throws {
        let record = RecordedRun()
        let app = try record.app(
            """
            [loops.main]
            initial = "one"
            shared  = { n = 0, m = 0, zero = 0 }
            states  = { one = { x = 0 }, two = {} }
            events  = { n = {}, m = {}, next = {}, nothing = {}, last = {} }
            on      = { n = { set = { n = "state.n + 1" } }, m = { set = { m = "state.m + 1" } }, nothing = {}, next = { from = "one", to = "two" }, last = {} }
            let     = { named = "state.m" }
            [loops.main.feedback]
            n     = { effect = "std:print", args = ["'n'"], when = "1 / state.zero > state.n" }
            m     = { effect = "std:print", args = ["'m'"], when = "1 / state.zero > named" }
            x     = { effect = "std:print", args = ["'x'"], when = "1 / state.zero > state.x", in = "one" }
            two   = { effect = "std:print", args = ["'t'"], when = "1 / state.zero > 0", in = "two" }
            event = { effect = "std:print", args = ["'e'"], when = "1 / state.zero > 0", on = "m" }
            state = { effect = "std:print", args = ["'s'"], when = "1 / state.zero > 0", trigger = "state" }
            now   = { effect = "std:print", args = ["'w'"], when = "1 / state.zero > 0 && now > timestamp('2000-01-01T00:00:00Z')" }
            whole = { effect = "std:print", args = ["json.encode(state)"], when = "1 / state.zero > 0" }
            last  = { effect = "std:print", args = ["'last'"], on = "last" }
            """)
        _ = try await printed(
            app, record, ["n", "nothing", "m", "next", "m"].map { ($0, []) }, isObserved: true,
            until: ["last"])
        var asked: [String: [String]] = [:]
        for fault in record.faults {
            let words = fault.split(separator: " ")
            let name = words[2].filter(\.isLetter).replacing("feedback", with: "")
            asked[String(words[1]), default: []].append(name)
        }
        #expect(
            asked == [
                "0": ["n", "m", "x", "state", "now", "whole"],
                "1": ["n", "state", "now", "whole"],
                "2": ["state", "now"],
                "3": ["m", "event", "state", "now", "whole"],
                "4": ["n", "m", "two", "state", "now", "whole"],
                "5": ["m", "event", "state", "now", "whole"],
                "6": ["state", "now"],
            ])
    }
}
