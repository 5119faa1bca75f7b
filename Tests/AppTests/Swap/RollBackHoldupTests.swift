import App
import Diagnostics
import Foundation
import Manifest
import PluginHost
import Records
import TestSupport
import Testing

/// Roll-backs while a loop does not reach the end of its step.
@Suite(.timeLimit(.minutes(10))) struct RollBackHoldupTests {
    /// The first version begins again, and returns from that once `main` is in a call that lasts until the test ends it.
    @Test(.inThisProcess("a call in a worker holds up no loop"))
    func aLoopThatIsHeldWhileTheOldOneStarts_isReported_andCallsTheOldOneAfterwards() async throws {
        let (starting, held, gate) = (Pipe(), Pipe(), Pipe())
        func input(_ pipe: Pipe) -> Int32 { pipe.fileHandleForReading.fileDescriptor }
        func output(_ pipe: Pipe) -> Int32 { pipe.fileHandleForWriting.fileDescriptor }
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            """
            #include <unistd.h>
            long hold(long n) {
                char byte = 0;
                if (write(\(output(held)), &byte, 1) < 0)
                    return -1;
                while (read(\(input(gate)), &byte, 1) > 0)
                    ;
                return n;
            }
            """, in: folder, as: "hold.so")
        let again = """
            static spin_status start(spin_call *call, spin_self *self) {
                char wait = 0;
                if (self->starts == 1 && (write(\(output(starting)), &wait, 1) < 0 || read(\(input(held)), &wait, 1) < 0))
                    abort();
            """
        let manifest = try RecordedRun.manifest(
            """
            [plugins.sensor]
            library = "./lib.so"
            isolation = "guarded"
            [plugins.hold]
            library = "./hold.so"
            declares = "long hold(long n);"
            [loops.main]
            state  = { n = 0, count = 0, by = 0, held = 0 }
            events = { ask = {}, go = {}, counted = { count = "int", by = "int" }, done = { n = "int" } }
            on.ask = { set = { n = "state.n + 1" } }
            on.go = { set = { held = "state.held + 1" } }
            on.counted = { set = { count = "event.count", by = "event.by" } }
            on.done = { set = { held = "event.n" } }
            [loops.main.feedback.count]
            effect = "sensor:count"
            on = "ask"
            emit = { event = "counted", count = "result / 16", by = "result % 16" }
            on-error = { event = "counted", count = "-1", by = "-1" }
            [loops.main.feedback.hold]
            effect = "hold:hold"
            on = "go"
            args = ["7"]
            emit = { event = "done", n = "result" }
            """,
            library: SensorSource(version: 1).text.replacing(
                "static spin_status start(spin_call *call, spin_self *self) {", with: again), in: folder)
        let record = RecordedRun()
        let app = try App(
            manifest, log: { record.log($0) }, output: { record.print($0) }, workerProgram: WorkerMode.program
        )
        defer { app.close() }
        let port = AppPort(manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port)
        run.start()
        func send(_ event: Int) throws {
            _ = try port.send(event: event, payload: Record(manifest.loops[0].events[event].type), toLoop: 0)
        }
        await record.line("start 1")
        await waitUntil { port.hasBegun }
        let (reports, continuation) = AsyncStream.makeStream(of: SwapReport.self)
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(
            SensorSource(version: 2, crashesAfter: 0).text, in: folder, as: "new.so", flags: ["-I\(include)"])
        // Safe because the paths are borrowed for the call.
        try #require(unsafe rename(folder.url("new.so").path, folder.url("lib.so").path) == 0)
        let swapped = await app.swap("sensor", in: run, deadline: .seconds(5)) { continuation.yield($0) }
        try #require(swapped.outcome == .swapped, "\(swapped)")
        // The first call of the new version crashes, and is its last one.
        try send(0)
        await Task.detached { _ = starting.fileHandleForReading.availableData }.value
        try send(1)
        let report = try #require(await reports.first { $0.outcome != .swapped })
        #expect(report.outcome == .failed)
        #expect(report.reasons.map(\.code.rawValue) == ["P083", "P092"])
        #expect(
            report.reasons.last?.message == "loop `main` did not reach the end of its step within 5.0 seconds"
        )
        try gate.fileHandleForWriting.close()
        try send(0)
        await record.until { $0.last?.contains(#""by":1,"#) == true }
        #expect(record.steps.last?.contains(#""held":7"#) == true, "\(record.steps)")
        run.stop()
        _ = await run.finished()
        withExtendedLifetime((starting, held, gate)) {}
    }
}
