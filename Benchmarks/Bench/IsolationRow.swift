import App
import Glibc
import Interfaces
import Isolation
import PluginHost
import Records
import References

/// Rows I1 to I5: a plugin in a process of its own.
struct IsolationRow {
    let spinhost: String
    /// The folder with `turn.so`.
    let plugins: String

    var count = 500_000
    private static let batch = 64

    private func makeWorker() throws -> BenchWorker { try BenchWorker(spinhost: spinhost, plugins: plugins) }

    // MARK: - Calls

    /// Millions of calls in a second, and the microseconds of a call, the median.
    private struct Speed {
        let rate: Double
        let time: Double
    }

    /// I1: one call after another. The thread that calls reads the answers itself.
    func calls(rounds: Int) async throws -> [Row] {
        let worker = try makeWorker()
        let call = try worker.call("next")
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let turn = try worker.takeTurn()
                return unsafe Speed(
                    rate: try one(call, turn, times: nil),
                    time: try median { unsafe try one(call, turn, times: $0) })
            }, reference: { try reference(batch: 1) })
        return [
            Row(
                name: "I1", title: "calls in a process", referenceTitle: "rings by hand", unit: "M calls/s",
                moreIsBetter: true, reach: 0.4, then: 0.7, samples: samples.map { $0.map(\.rate) }),
            Row(
                name: "I1 p50", title: "a call in a process, median", referenceTitle: "rings by hand",
                unit: "µs", judged: .figure, moreIsBetter: false, reach: 1, then: nil,
                samples: samples.map { $0.map(\.time) }),
        ]
    }

    /// I2: 64 calls begin, and then all of them are awaited.
    func batches(rounds: Int) async throws -> Row {
        let worker = try makeWorker()
        let calls = try (0..<Self.batch).map { _ in try worker.call("next") }
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let turn = try worker.takeTurn()
                let start = ContinuousClock.now
                for _ in 0..<count / Self.batch {
                    for call in calls { try call.begin() }
                    for call in calls { try call.end(turn) }
                }
                return Double(count) / Stopwatch.seconds(since: start) / 1e6
            }, reference: { try reference(batch: Self.batch).rate })
        return Row(
            name: "I2", title: "64 calls at a time in a process", referenceTitle: "rings by hand",
            unit: "M calls/s", judged: .figure, moreIsBetter: true, reach: 4, then: nil, samples: samples)
    }

    private func one(
        _ call: BenchCall, _ turn: borrowing Worker.Turn, times: UnsafeMutablePointer<UInt32>?
    ) throws -> Double {
        // Safe because both are numbers of 64 bits and live as long as the call; there is a place for each time.
        let (number, outcome) = unsafe (call.call.inputAddress(0), call.call.outcomeAddress)
        unsafe number.storeBytes(of: 0, as: Int64.self)
        let start = ContinuousClock.now
        for index in 0..<count {
            let before = unsafe times == nil ? 0 : Stopwatch.nanoseconds()
            try call.begin()
            try call.end(turn)
            unsafe number.copyMemory(from: outcome, byteCount: 8)
            unsafe times?[index] = UInt32(clamping: Stopwatch.nanoseconds() - before)
        }
        let seconds = Stopwatch.seconds(since: start)
        let reached = unsafe number.load(as: Int64.self)
        guard reached == Int64(count) else { throw BenchFault("the calls ended at \(reached)") }
        return Double(count) / seconds / 1e6
    }

    private func reference(batch: Int) throws -> Speed {
        func run(_ times: UnsafeMutablePointer<UInt32>?) throws -> Double {
            let calls = Int64(count / batch * batch)
            let nanoseconds = unsafe reference_ring(calls, Int64(batch), { $0 + 1 }, times)
            guard nanoseconds > 0 else { throw BenchFault("the rings by hand did not work") }
            return Double(calls) / Double(nanoseconds) * 1e3
        }
        return unsafe Speed(rate: try run(nil), time: batch == 1 ? try median { unsafe try run($0) } : 0)
    }

    /// The median of the times that `body` measures, in microseconds.
    private func median(_ body: (UnsafeMutablePointer<UInt32>) throws -> some Any) throws -> Double {
        var times = [UInt32](repeating: 0, count: count)
        // Safe because there is a place for each call.
        unsafe try times.withUnsafeMutableBufferPointer { _ = unsafe try body($0.baseAddress!) }
        return Double(times.sorted()[count / 2]) / 1e3
    }

    // MARK: - Bytes

    /// I3: a mebibyte there and back.
    func bytes(rounds: Int) async throws -> Row {
        let (size, turns) = (1 << 20, 500)
        let worker = try makeWorker()
        let call = try worker.call("turn")
        let bytes = [UInt8](repeating: 7, count: size)
        // Safe because the input is a value of type `bytes`.
        unsafe bytes.withUnsafeBytes { unsafe ValueMemory.storeBytes($0, to: call.call.inputAddress(0)) }
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let turn = try worker.takeTurn()
                let start = ContinuousClock.now
                for _ in 0..<turns {
                    try call.begin()
                    try call.end(turn)
                }
                let seconds = Stopwatch.seconds(since: start)
                // Safe because the outcome begins with the result, of type `bytes`.
                guard unsafe ValueMemory.span(call.call.outcomeAddress).elementsEqual(bytes) else {
                    throw BenchFault("other bytes came back")
                }
                return seconds * 1e6 / Double(turns)
            },
            reference: {
                let start = ContinuousClock.now
                guard reference_copies(2 * Int64(turns), Int64(size)) == 2 * turns else {
                    throw BenchFault("a copy is wrong")
                }
                return Stopwatch.seconds(since: start) * 1e6 / Double(turns)
            })
        return Row(
            name: "I3", title: "1 MiB to a process and back", referenceTitle: "two memcpy of it", unit: "µs",
            moreIsBetter: false, reach: 2, then: nil, samples: samples)
    }

    // MARK: - Processes

    /// I4: the process is killed; a call is made at once, and again as long as it fails. Beside it, a program that does
    /// nothing.
    func restart(rounds: Int) async throws -> Row {
        let worker = try makeWorker()
        let call = try worker.call("next")
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let process = try worker.process()
                let start = ContinuousClock.now
                kill(process, SIGKILL)
                while true {
                    try call.begin()
                    // A thread that looks all the time would take a processor from the start.
                    while !call.isOver {
                        usleep(50)
                        guard Stopwatch.seconds(since: start) < 10 else {
                            throw BenchFault("no process starts")
                        }
                    }
                    if call.fault == nil { break }
                }
                guard try worker.process() != process else { throw BenchFault("the process was not killed") }
                return Stopwatch.seconds(since: start) * 1e3
            },
            reference: { try Program.milliseconds([spinhost, "--version"]) })
        return Row(
            name: "I4", title: "the death of a process to the first call in the next one",
            referenceTitle: "`spinhost --version`", unit: "ms", judged: .figure, moreIsBetter: false,
            reach: 30,
            then: nil, samples: samples)
    }

    /// I5: the memory that nobody shares with a worker, above what the plugin takes in this process.
    func memory(rounds: Int) async throws -> Row {
        // The program's own pages are shared, as with the host of an app.
        let other = try makeWorker()
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let worker = try makeWorker()
                let call = try worker.call("next")
                try call.begin()
                while !call.isOver { usleep(50) }
                return try Self.privateBytes("\(worker.process())")
            },
            reference: {
                let before = try Self.privateBytes("self")
                let function = try CFunction(parsing: "int64_t step_toward(int64_t from, int64_t to)")
                let call = try PreparedCall(
                    library: "\(plugins)/step.so",
                    signature: CallSignature(function, arguments: [.input, .input]))
                try call.invoke()
                return max(0, try Self.privateBytes("self") - before)
            })
        withExtendedLifetime(other) {}
        return Row(
            name: "I5", title: "memory of a process, above that of the plugin in this one",
            referenceTitle: "the plugin in this one", unit: "MiB", judged: .figure, moreIsBetter: false,
            reach: 8,
            then: nil,
            samples: samples.map {
                Row.Sample(figure: $0.figure - $0.reference, reference: $0.reference)
            })
    }

    /// The pages of a process that no other one has, in MiB.
    private static func privateBytes(_ process: String) throws -> Double {
        let lines = try BenchFile.text(of: "/proc/\(process)/smaps_rollup").split(separator: "\n")
        return lines.reduce(0) { sum, line in
            guard line.hasPrefix("Private_") else { return sum }
            return sum + (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
        }
    }
}
