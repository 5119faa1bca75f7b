import Foundation
import TestSupport
import Testing

/// `spinhost journal export --trace`, by what a viewer of traces relies on.
@Suite(.timeLimit(.minutes(10))) struct JournalTraceTests {
    /// An event of a trace.
    private struct Event: Decodable {
        struct Arguments: Decodable {
            var name: String?, origin: String?, outcome: String?
            var step: Int?, run: Int?, events: Int?, message: Int?
        }

        let ph: String, name: String
        let pid: Int, tid: Int
        var cat: String?, ts: Double?, dur: Double?, id: Int?, bp: String?, s: String?
        var args: Arguments?

        /// In whole nanoseconds, as the others are: a sum of two such numbers is not exact.
        var end: Double { (((ts ?? 0) + (dur ?? 0)) * 1000).rounded() / 1000 }
    }

    private struct Trace: Decodable {
        let traceEvents: [Event]
        let otherData: [String: String]

        /// The names of tracks, by process and thread.
        var tracks: [[Int]: String] {
            Dictionary(
                uniqueKeysWithValues: traceEvents.filter { $0.ph == "M" }.map {
                    ([$0.pid, $0.tid], $0.args?.name ?? "")
                })
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func trace(_ manifest: String) throws -> Trace {
        let run = try Spinhost.run("--quiet", "--manifest", manifest, "--journal", "run.journal", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        let export = try Spinhost.run("journal", "export", "run.journal", "--trace", in: folder)
        try #require(export.status == 0 && export.errors == "", "\(export.errors)")
        return try JSONDecoder().decode(Trace.self, from: Data(export.output.utf8))
    }

    /// Slices of one track that overlap must nest, and each event is on a track with a name.
    private func expectWhole(_ trace: Trace) {
        let (events, tracks) = (trace.traceEvents, trace.tracks)
        #expect(Set(events.map(\.ph)).isSubset(of: ["M", "X", "i", "s", "f"]))
        for event in events where event.ph != "M" {
            #expect(event.ts ?? -1 >= 0 && tracks[[event.pid, event.tid]] != nil, "\(event)")
            #expect(tracks[[event.pid, 0]] != nil)
            #expect((event.ph == "X") == (event.dur != nil) && event.dur ?? 0 >= 0)
        }
        let slices = Dictionary(grouping: events.filter { $0.ph == "X" }, by: { [$0.pid, $0.tid] })
        for (track, slices) in slices {
            for (index, one) in slices.enumerated() {
                for other in slices.dropFirst(index + 1) {
                    let isApart = one.end <= other.ts! || other.end <= one.ts!
                    let isNested =
                        one.ts! <= other.ts! && other.end <= one.end
                        || other.ts! <= one.ts! && one.end <= other.end
                    #expect(isApart || isNested, "\(track): \(one), \(other)")
                }
            }
        }
        // Each arrow has one beginning and one end at most, and each is within a slice.
        let arrows = Dictionary(grouping: events.filter { $0.id != nil }, by: { $0.id! })
        for (_, ends) in arrows {
            #expect(ends.map(\.ph) == ["s", "f"] && ends[0].ts! <= ends[1].ts!)
            for end in ends {
                #expect(
                    slices[[end.pid, end.tid]]?.contains { $0.ts! <= end.ts! && end.ts! <= $0.end } == true)
            }
        }
    }

    @Test func `the steps, runs and messages of an app are a trace whose times and arrows fit`() throws {
        let trace = try trace(Spinhost.example("login"))
        expectWhole(trace)
        #expect(trace.otherData["app"] == "login" && trace.otherData["journal"]?.count == 32)
        let (events, tracks) = (trace.traceEvents, trace.tracks)
        #expect(
            Set(tracks.values).isSuperset(of: ["app login", "loop feature", "loop login", "steps", "clock"]))
        let feature = try #require(tracks.first { $0.value == "loop feature" }?.key[0])
        let steps = events.filter { $0.pid == feature && $0.ph == "i" && $0.cat == "step" }
        #expect(steps.allSatisfy { $0.s == "t" && tracks[[$0.pid, $0.tid]] == "steps" })
        #expect(steps.compactMap(\.args?.step) == Array(0...7))
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.ts! <= $1.ts! })
        // The timer is one run, which lasts from the first state to the end, and has made six events.
        let clock = events.filter { $0.ph == "X" && $0.name == "clock" }
        #expect(clock.count == 1 && clock[0].args?.step == 0 && clock[0].args?.run == 1)
        #expect(clock[0].args?.events == steps.count { $0.args?.origin == "feedback:clock" })
        #expect(clock[0].ts == steps[0].ts && clock[0].end >= steps[7].ts!)
        #expect(events.allSatisfy { $0.pid != feature || $0.ts ?? 0 <= clock[0].end })
        #expect(tracks[[clock[0].pid, clock[0].tid]] == "clock")
        // One message asks, and one answers.
        #expect(
            events.filter { $0.ph == "X" && $0.cat == "message" }.map(\.name).sorted() == [
                "received auth.granted", "received auth.lost", "sent auth.granted", "sent auth.lost",
            ])
        #expect(events.filter { $0.ph == "f" }.allSatisfy { $0.bp == "e" })
        #expect(Set(events.compactMap(\.id)).count == 2)
    }

    @Test func `runs of one feedback that overlap have tracks of their own, and answers are slices`() throws {
        try folder.write(
            "app.toml",
            """
            app.name = "many"
            [plugins.libc]
            library  = "libc.so.6"
            declares = "int abs(int n);"
            [loops.main]
            state  = { n = 0, done = 0 }
            events = { more = { n = "int" }, late = {} }
            until  = "state.done == 3"
            on.more = { set = { n = "event.n + 1" } }
            on.late = { set = { done = "state.done + 1" } }
            [loops.main.feedback.next]
            effect = "libc:abs"
            args   = ["state.n"]
            when   = "state.n < 3"
            emit   = { event = "more", n = "result" }
            [loops.main.feedback.wait]
            effect   = "std:after"
            args     = ["duration('1s')"]
            on       = "more"
            strategy = "continue-on-new-state"
            emits.elapsed = { event = "late" }

            """)
        let trace = try trace("app.toml")
        expectWhole(trace)
        let runs = trace.traceEvents.filter { $0.cat == "run" }
        let next = runs.filter { $0.name == "next" }
        #expect(next.compactMap(\.args?.step) == [0, 1, 2] && next.allSatisfy { $0.args?.events == 1 })
        let wait = runs.filter { $0.name == "wait" }
        #expect(wait.compactMap(\.args?.step) == [1, 2, 3] && wait.compactMap(\.args?.run) == [1, 2, 3])
        #expect(Set(wait.map(\.tid)).count == 3)
        // The loop may stop between the event of the last one and its end.
        #expect(wait.dropLast().allSatisfy { $0.args?.outcome == "ended" })
        #expect(trace.tracks.values.contains("wait (3)"))
    }

    @Test func `a trace goes to a file, and one form is written at a time`() throws {
        _ = try trace(Spinhost.example("login"))
        let file = try Spinhost.run(
            "journal", "export", "run.journal", "--trace", "-o", "run.json", in: folder)
        #expect(file.status == 0 && file.output == "" && file.errors == "")
        #expect(
            try JSONSerialization.jsonObject(with: Data(contentsOf: folder.url("run.json"))) is [String: Any])
        let both = try Spinhost.run("journal", "export", "run.journal", "--trace", "--jsonl", in: folder)
        #expect(both.status == 64 && both.errors.contains("`--jsonl` and `--trace` contradict each other"))
    }
}
