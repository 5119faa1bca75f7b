import Glibc

/// Rows O1 to O3: an app with its inspector, in processes of their own.
struct InspectorRow {
    let spinhost: String
    /// The folder for manifests, with `step.so`.
    let plugins: String

    /// An app beside its inspector.
    private struct Inspected {
        let program: Listening
        let port: UInt16
        let token: String

        init(_ spinhost: String, _ manifest: String) throws {
            program = try Listening([
                spinhost, "run", "--inspect", "--inspect-write", "--manifest", manifest,
            ])
            let line = try program.line(after: "inspector: http://127.0.0.1:")
            let parts = line.split(separator: "/#t=")
            guard parts.count == 2, let port = UInt16(parts[0]) else {
                throw BenchFault("the inspector has no address: \(line)")
            }
            (self.port, token) = (port, String(parts[1]))
        }

        /// The number of steps of loop `count`.
        func steps() throws -> Double {
            let name = "spinhost_steps_total{loop=\"count\"} "
            let metrics = try PageClient.get("/metrics", port: port)
            guard let line = metrics.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(name) }),
                let steps = Double(line.dropFirst(name.count))
            else { throw BenchFault("/metrics has no steps") }
            return steps
        }

        /// The steps in a second, during a function that lasts until the time that it gets.
        func rate(_ during: (ContinuousClock.Instant) throws -> Void) throws -> Double {
            let (before, start) = (try steps(), ContinuousClock.now)
            try during(start + .seconds(1))
            return (try steps() - before) / Stopwatch.seconds(since: start) / 1e6
        }
    }

    /// Row O1: steps in a second with a page that watches all of them, and without a page.
    func watched(rounds: Int) async throws -> Row {
        let manifest = "\(plugins)/o1.toml"
        try BenchFile.write(
            """
            app.name = "bench-watched-\(getpid())"
            [plugins.step]
            library = "\(plugins)/step.so"
            [loops.count]
            state  = { n = 0, limit = \(Int64.max) }
            events = { moved = { to = "int" } }
            on.moved = { set = { n = "event.to" } }
            [loops.count.feedback.step]
            effect = "step:step_toward"
            args   = ["state.n", "state.limit"]
            emit   = { event = "moved", to = "result" }

            """, to: manifest)
        let app = try Inspected(spinhost, manifest)
        defer { app.program.end() }
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let page = try PageClient.open(port: app.port, token: app.token)
                try page.say(
                    #"{"request":"watch","steps":true,"runs":true,"faults":true,"gears":true,"counters":"1s"}"#
                )
                return try app.rate {
                    guard try page.read(until: $0) > 0 else { throw BenchFault("no steps") }
                }
            },
            reference: {
                try app.rate { _ in Stopwatch.sleep(until: Stopwatch.nanoseconds() + 1_000_000_000) }
            })
        return Row(
            name: "O1", title: "M1's loop while a page watches it", referenceTitle: "the same without a page",
            unit: "M steps/s", moreIsBetter: true, reach: 0.6, then: 0.8, samples: samples)
    }

    /// Row O2: an event that a page sends, until its step is at the page.
    func latency(rounds: Int) async throws -> Row {
        let manifest = "\(plugins)/o2.toml"
        try BenchFile.write(
            """
            app.name = "bench-sent-\(getpid())"
            [loops.count]
            state   = { n = 0 }
            events  = { pushed = {} }
            on.pushed = { set = { n = "state.n + 1" } }

            """, to: manifest)
        let app = try Inspected(spinhost, manifest)
        defer { app.program.end() }
        let page = try PageClient.open(port: app.port, token: app.token)
        try page.say(#"{"request":"watch","steps":true}"#)
        try page.wait(for: #"{"ok":true"#)
        func milliseconds(_ question: String, _ answer: String) throws -> Double {
            let start = ContinuousClock.now
            try page.say(question)
            try page.wait(for: answer)
            return Stopwatch.seconds(since: start) * 1e3
        }
        let samples = try await Row.sampling(
            rounds: rounds * 10,
            figure: {
                let time = try milliseconds(#"{"request":"send","event":"pushed"}"#, #"{"step":"#)
                // So the next one does not share its window with this one.
                Stopwatch.sleep(until: Stopwatch.nanoseconds() + 20_000_000)
                return time
            },
            reference: { try milliseconds(#"{"request":"hello","version":2}"#, #"{"ok":"#) })
        return Row(
            name: "O2", title: "event from a page to its step at the page",
            referenceTitle: "a question and its answer",
            unit: "ms", judged: .figure, moreIsBetter: false, reach: 150, then: 50, samples: samples)
    }

    /// Row O3: a scrape of a thousand series.
    func scrape(rounds: Int) async throws -> Row {
        let loops = (0..<90).map { index in
            """
            [loops.l\(index)]
            state     = { n = 0 }
            events    = { pushed = {} }
            on.pushed = { set = { n = "state.n + 1" } }

            """
        }
        let manifest = "\(plugins)/o3.toml"
        try BenchFile.write(
            "app.name = \"bench-scraped-\(getpid())\"\n" + loops.joined(), to: manifest)
        let app = try Inspected(spinhost, manifest)
        defer { app.program.end() }
        func milliseconds(_ path: String) throws -> (time: Double, text: String) {
            let start = ContinuousClock.now
            let text = try PageClient.get(path, port: app.port)
            return (Stopwatch.seconds(since: start) * 1e3, text)
        }
        let series = try milliseconds("/metrics").text.split(whereSeparator: \.isNewline).count {
            $0.hasPrefix("spinhost_") || $0.hasPrefix("process_")
        }
        guard series >= 1000 else { throw BenchFault("/metrics has only \(series) series") }
        let samples = try await Row.sampling(
            rounds: rounds * 10, figure: { try milliseconds("/metrics").time },
            reference: { try milliseconds("/live").time })
        return Row(
            name: "O3", title: "scrape of \(series) series", referenceTitle: "/live", unit: "ms",
            judged: .figure,
            moreIsBetter: false, reach: 5, then: 1, samples: samples)
    }
}
