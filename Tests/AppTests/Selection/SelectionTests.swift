import Foundation
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// Each step asks only the feedbacks that it concerns. That must make no difference to what they do.
@Suite(.timeLimit(.minutes(10))) struct SelectionTests {
    private typealias Sent = (name: String, fields: [(String, Value)])

    /// What a run prints in answer to events, by loop and key.
    ///
    /// - Parameters:
    ///   - sent: the names of events of a loop, with the fields of each.
    ///   - keys: those of the instances.
    ///   - loop: the loop's name.
    ///   - ends: the lines that come last; all of them, with each key before them.
    private func printed(
        _ app: App, _ record: RecordedRun, _ sent: [Sent], keys: [String] = [], to loop: String = "main",
        asksAll: Bool = false, isObserved: Bool, until ends: [String] = ["last", "olast"]
    ) async throws -> [String: [String]] {
        defer { app.close() }
        let port = AppPort(app.manifest, statesCame: {})
        let run = FeedbackIndex.$least.withValue(asksAll ? .max : FeedbackIndex.least) {
            app.makeRun(observer: isObserved ? record : nil, port: port, succeeding: nil)
        }
        run.start()
        try send(sent, to: loop, of: app.manifest, through: port)
        for end in ends { await record.line(end) }
        let lines = Dictionary(grouping: record.lines) { line in
            (line.hasPrefix("o") ? "other " : "main ") + (keys.first { line.contains($0) } ?? "")
        }
        run.stop()
        _ = await run.finished()
        return lines
    }

    private func send(_ sent: [Sent], to loop: String, of manifest: Manifest, through port: AppPort) throws {
        let index = try #require(manifest.loops.firstIndex { $0.name == loop })
        let events = manifest.loops[index].events
        for (name, fields) in sent {
            let event = try #require(events.firstIndex { $0.name == name })
            var payload = Record(events[event].type)
            for (name, value) in fields { try payload.set(name, to: value) }
            #expect(try port.send(event: event, payload: payload, toLoop: index) == .queued)
        }
    }

    private static func events(
        _ count: Int, keys: [String] = [], using generator: inout SeededGenerator
    ) -> [Sent] {
        (0..<count).map { _ in
            let text = String(repeating: "x", count: .random(in: 0...3, using: &generator))
            let key = keys.randomElement(using: &generator).map { ("key", Value.string($0)) }
            return (
                name: "e\(Int.random(in: 0...2, using: &generator))",
                fields: [
                    ("n", Value.int(Int64.random(in: -30...60, using: &generator))), ("t", .string(text)),
                ] + (key.map { [$0] } ?? [])
            )
        }
    }

    @Test(
        "of random apps, runs begin and end as if each step asked all feedbacks",
        .inThisProcess("lines of a worker and of the host have no one order"), arguments: 0..<8)
    func randomApps(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let plugin = try CompiledPlugin(RandomFeedbacks.plugin)
        for round in 0..<12 {
            let feedbacks = RandomFeedbacks(
                of: RandomMachine(using: &generator), isKeyed: round % 3 == 2, using: &generator)
            let keys = feedbacks.keys
            let last = keys.isEmpty ? [("last", [])] : keys.map { ("last", [("key", Value.string($0))]) }
            let sent = Self.events(40, keys: keys, using: &generator) + last
            let ends = keys.isEmpty ? ["last", "olast"] : keys.flatMap { ["\($0) last", "o\($0) last"] }
            var runs: [[String: [String]]] = []
            for asksAll in [true, false] {
                let record = RecordedRun()
                let app = try record.app(feedbacks.manifest, plugin: plugin)
                runs.append(
                    try await printed(
                        app, record, sent, keys: keys, to: keys.isEmpty ? "main" : "sender",
                        asksAll: asksAll, isObserved: round.isMultiple(of: 2), until: ends))
            }
            guard runs[0] == runs[1] else {
                Issue.record("\(runs[1]), not \(runs[0]):\n\(feedbacks.manifest)")
                return
            }
        }
    }

    @Test(
        "apps that continue with another manifest do so, too",
        .inThisProcess("lines of a worker and of the host have no one order"), arguments: 0..<8)
    func randomAppsThatChange(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: 100 + seed)
        let plugin = try CompiledPlugin(RandomFeedbacks.plugin)
        for _ in 0..<4 {
            let machine = RandomMachine(using: &generator)
            let texts = (0..<2).map { _ in
                RandomFeedbacks(of: machine, isKeyed: false, using: &generator).manifest
            }
            let sent = (0..<2).map { _ in Self.events(20, using: &generator) + [("last", [])] }
            var runs: [[String]] = []
            for asksAll in [true, false] {
                let folder = try TemporaryFolder()
                try FileManager.default.copyItem(at: plugin.file, to: folder.url("lib.so"))
                let manifests = try texts.map { try RecordedRun.manifest($0, in: folder) }
                let ports = manifests.map { AppPort($0, statesCame: {}) }
                let record = RecordedRun()
                let app = try record.app(manifests[0])
                defer { app.close() }
                let least = asksAll ? Int.max : FeedbackIndex.least
                let run = FeedbackIndex.$least.withValue(least) {
                    app.makeRun(observer: nil, port: ports[0], succeeding: nil)
                }
                run.start()
                try send(sent[0], to: "main", of: manifests[0], through: ports[0])
                for end in ["last", "olast"] { await record.line(end) }
                let follower = try FeedbackIndex.$least.withValue(least) {
                    try app.succeedNow(run, by: manifests[1], nil, ports[1], .seconds(60)) { _ in }.get()
                }
                defer { follower.app.close() }
                try send(sent[1], to: "main", of: manifests[1], through: ports[1])
                for end in ["last", "olast"] { await record.line(end, times: 2) }
                follower.run.stop()
                _ = await follower.run.finished()
                // Runs that the other manifest does not have end at any time.
                runs.append(record.lines.sorted())
            }
            #expect(runs[0] == runs[1], "\(texts[0])\n\(texts[1])")
        }
    }

    private static let native = """
        [plugins.lib]
        library = "./lib.so"
        [gears.out]
        messages = { said = { text = "string" } }
        [loops.main]
        initial = "plain"
        shared  = { a = 0, b = 0, c = { type = "i32", initial = 0 }, name = "", pair = { x = 0, y = 0 }, unread = 0 }
        states  = { plain = {}, text = { text = "" }, number = { x = 0, number = 0 } }
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
        text  = { effect = "lib:hold", args = ["'text ' + state.text"], in = "text" }
        x     = { effect = "lib:hold", args = ["'x ' + string(state.x)"], in = "number" }
        case  = { effect = "std:print", args = ["state.case"] }
        in    = { effect = "std:print", args = ["'in ' + string(event.by)"], on = "change", in = "number" }
        late  = { effect = "lib:hold", args = ["(state.a > 2 ? 'A' : 'a') + json.encode(state)"] }
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
            case 8: state->tag = (int32_t)(by % 3); break;
            case 9:
                if (state->tag == MAIN_STATE_TEXT)
                    state->as.text.text = (spin_string){by % 2 ? "odd" : "even", by % 2 ? 3 : 4};
                else if (state->tag == MAIN_STATE_NUMBER)
                    state->as.number.x = by;
                break;
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
            let field = ("field", Value.int(Int64.random(in: 0...10, using: &generator)))
            return (name: isMixed ? "mixed" : "change", fields: isMixed ? [by] : [by, field])
        }
        var runs: [[String: [String]]] = []
        for asksAll in [true, false] {
            let record = RecordedRun()
            let app = try record.app(Self.native, library: Self.reducer)
            runs.append(
                try await printed(
                    app, record, sent + [(name: "last", fields: [])], asksAll: asksAll, isObserved: false))
        }
        #expect(runs[0] == runs[1])
        for sign in ["-name", "-text", "-x", "in "] {
            #expect(runs[0]["main "]!.contains { $0.hasPrefix(sign) }, "\(sign)")
        }
    }

    @Test func instancesWithDelays_runTheSameFeedbacks() async throws {
        var runs: [[String: [String]]] = []
        for asksAll in [true, false] {
            let record = RecordedRun()
            let app = try record.app(
                """
                [loops.inst]
                key     = "string"
                initial = "a"
                shared  = { n = 0, m = 0 }
                states  = { a = { x = 0 }, b = {}, done = {} }
                events  = { poke = {} }
                on      = { poke = { set = { m = "state.m + 1" } } }
                [loops.inst.after]
                a = [{ delay = "1ms", to = "b", set = { n = "state.n + 1" } }]
                b = [
                    { delay = "1ms", if = "state.n < 5", to = "a", set = { n = "state.n + 1", x = "state.n" } },
                    { delay = "1ms", to = "done" },
                ]
                [loops.inst.feedback]
                n    = { effect = "std:print", args = ["key + ' n ' + string(state.n)"], emit = { event = "poke" } }
                x    = { effect = "std:print", args = ["key + ' x ' + string(state.x)"], in = "a" }
                b    = { effect = "std:print", args = ["key + ' b ' + string(state.m)"], in = "b" }
                poke = { effect = "std:print", args = ["key + ' poke ' + state.case"], on = "poke", in = ["a", "b"] }
                now  = { effect = "std:print", args = ["key + ' ' + string(now > timestamp('2000-01-01T00:00:00Z'))"] }
                done = { effect = "std:print", args = ["key + ' done'"], in = "done" }
                [loops.main]
                state = {}
                [loops.main.feedback.go]
                send = [
                    { loop = "inst", key = "'A'", event = "poke" }, { loop = "inst", key = "'B'", event = "poke" },
                ]
                """)
            runs.append(
                try await printed(
                    app, record, [], keys: ["A", "B"], asksAll: asksAll, isObserved: false,
                    until: ["A done", "B done"]))
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0]["main A"]?.contains("A n 5") == true)
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
            app, record, ["n", "nothing", "m", "next", "m", "last"].map { ($0, []) }, isObserved: true,
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
