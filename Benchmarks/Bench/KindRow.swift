import App
import HostLoop
import Manifest
import Records

/// Rows K1, K2 and K4: the instances of a loop with a key, 100,000 of them, in an app with one feedback.
struct KindRow {
    /// The folder for the manifests.
    let plugins: String
    private let instances = 100_000
    private let events = 1_000_000

    /// An app that runs, and prints once the last event is reduced.
    private struct Running {
        let app: App
        let run: AppRun
        let port: AppPort
        let done: Countdown
        let payload: Record
    }

    /// - Parameters:
    ///   - key: the line that gives the loop its key, or none.
    ///   - last: whether a state is the one after the last event.
    private func start(_ name: String, key: String, last: String) async throws -> Running {
        let path = "\(plugins)/\(name).toml"
        try BenchFile.write(
            """
            app.name = "bench"
            [loops.count]
            \(key)
            state  = { n = 0 }
            events = { up = { by = "int" } }
            on.up  = { set = { n = "state.n + event.by" } }
            [loops.count.feedback.done]
            when   = "\(last)"
            effect = "std:print"
            args   = ["'done'"]

            """, to: path)
        let done = Countdown(from: 1)
        guard let manifest = App.loadManifest(path: path).manifest else {
            throw BenchFault("\(path) is invalid")
        }
        let app = try App(
            manifest, log: { _ in },
            output: { _ in
                done.count()
                return true
            })
        let port = AppPort(manifest) {}
        let run = app.makeRun(port: port)
        run.start()
        var payload = Record(manifest.loops[0].events[0].type)
        try payload.set("by", to: .int(1))
        return Running(app: app, run: run, port: port, done: done, payload: payload)
    }

    private func keyed() async throws -> Running {
        try await start("kind", key: "key = \"int\"", last: "key < 0")
    }

    private func end(_ running: Running) async {
        running.run.stop()
        _ = await running.run.end()
        running.app.close()
    }

    private func send(_ running: Running, to key: Int) throws {
        let result = try running.port.send(
            event: 0, payload: running.payload, to: .int(Int64(key)), ofLoop: 0)
        guard result == .queued else { throw BenchFault("an event was not queued: \(result)") }
    }

    // MARK: - K1 and K4

    /// An event for each of 100,000 keys, until all are reduced. Beside it, the same by the library.
    func making(rounds: Int) async throws -> [Row] {
        let samples = try await Row.sampling(rounds: rounds, figure: make, reference: KeyedRow().make)
        let reference = "the same by the library: row L5"
        return [
            Row(
                name: "K1", title: "memory of an idle instance, one of 100,000", referenceTitle: reference,
                unit: "B", judged: .figure, moreIsBetter: false, reach: 1024, then: nil,
                samples: samples.map { $0.map(\.bytes) }),
            Row(
                name: "K4", title: "from the first event of a key until it is reduced",
                referenceTitle: reference, unit: "µs", judged: .figure, moreIsBetter: false, reach: 10,
                then: nil, samples: samples.map { $0.map(\.microseconds) }),
        ]
    }

    private func make() async throws -> MakingFigure {
        let running = try await keyed()
        var fault: (any Error)?
        let figure = MakingFigure(of: instances, until: running.done) {
            do {
                for key in 0..<instances { try send(running, to: key) }
                // The executor is serial, so an instance that is made last runs last.
                try send(running, to: -1)
            } catch {
                fault = error
                running.done.count()
            }
        }
        await end(running)
        if let fault { throw fault }
        return figure
    }

    // MARK: - K2

    /// A thread sends a million events to random keys of 100,000 instances. Beside it, the same into one loop.
    func sending(rounds: Int) async throws -> Row {
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let running = try await keyed()
                for key in 0..<instances { try send(running, to: key) }
                let rate = try rate(running) {
                    try send(running, to: $0)
                } last: {
                    try send(running, to: -1)
                }
                await end(running)
                return rate
            },
            reference: {
                let running = try await start("one", key: "", last: "state.n == \(events)")
                let rate = try rate(running) { _ in
                    while try running.port.send(event: 0, payload: running.payload, toLoop: 0) != .queued {}
                } last: {
                }
                await end(running)
                return rate
            })
        return Row(
            name: "K2", title: "events to random keys of 100,000 instances", referenceTitle: "one loop",
            unit: "M events/s", moreIsBetter: true, reach: 0.5, then: nil, samples: samples)
    }

    /// Sends all events, and waits until they are reduced. Returns millions of events in a second.
    @inline(__always)
    private func rate(
        _ running: Running, _ send: (Int) throws -> Void, last: () throws -> Void
    ) throws -> Double {
        var keys = RandomKeys(below: instances)
        let start = ContinuousClock.now
        for _ in 0..<events { try send(keys.next()) }
        try last()
        running.done.wait()
        return Double(events) / Stopwatch.seconds(since: start) / 1e6
    }
}

/// Linear congruential numbers (D. Knuth, The Art of Computer Programming 2, section 3.3.4): they cost little beside an
/// event.
struct RandomKeys {
    private var state: UInt64 = 7
    private let count: UInt64

    init(below count: Int) { self.count = UInt64(count) }

    @inline(__always)
    mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % count)
    }
}
