import App
import Diagnostics
import Foundation
import HostLoop
import HostLoopTesting
import PluginHost
import TestSupport
import Testing

/// Which call holds a loop, and how that is told.
@Suite(.timeLimit(.minutes(10))) struct WatchdogTests {
    private final class Told: Sendable {
        let lines = Lock<[String]>([])
    }

    private final class Observer: AppObserver {
        let told = Lock<[String]>([])

        func held(_ warning: AppFault) {
            told.withLock {
                $0.append(
                    "\(warning.loop) \(warning.part) \(warning.diagnostic.code.rawValue): \(warning.diagnostic.message)"
                )
            }
        }
    }

    @Test(.inThisProcess("a call in a worker holds up no loop"), arguments: ["loop", "pool"])
    func call_thatHoldsALoop_isNamed_andOneElsewhereIsNot(_ executor: String) async throws {
        let (begun, gate) = (Pipe(), Pipe())
        let recorded = RecordedRun()
        let clock = ManualClock()
        let app = try recorded.app(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { ended = { n = "int" } }
            until  = "state.n == 7"
            on     = { ended = { set = { n = "event.n" } } }
            [loops.main.feedback.slow]
            effect   = "lib:begin_and_wait"
            args     = [\(begun.fileHandleForWriting.fileDescriptor), \(gate.fileHandleForReading.fileDescriptor), 7]
            executor = "\(executor)"
            emit     = { event = "ended", n = "result" }

            """, plugin: CompiledPlugin.feedbacks.get(), clock: clock)
        defer { app.close() }
        let (observer, told) = (Observer(), Told())
        let run = app.makeRun(observer: observer)
        let watchdog = app.makeWatchdog(of: run, observer: observer) { line in
            told.lines.withLock { $0.append("\(line.plugin) \(line.level): \(line.text)") }
        }
        run.start()
        #expect(try begun.fileHandleForReading.read(upToCount: 1)?.count == 1)
        watchdog.look()
        clock.advance(by: .milliseconds(999))
        watchdog.look()
        #expect(told.lines.withLock { $0 } == [])
        clock.advance(by: .milliseconds(1))
        watchdog.look()
        watchdog.look()
        clock.advance(by: .seconds(2))
        watchdog.look()
        gate.fileHandleForWriting.write(Data([1]))
        _ = await run.finished()
        watchdog.look()
        let what = "effect `begin_and_wait` has held loop `main` for"
        let isHeld = executor == "loop"
        #expect(
            told.lines.withLock { $0 }
                == (isHeld
                    ? [1, 3].map { "feedbacks 1: \(what) \($0) s, in feedback:slow" } : []))
        #expect(
            observer.told.withLock { $0 }
                == (isHeld
                    ? [1, 3].map {
                        "main feedback:slow R122: \(what) \($0) s: nothing else happens in it meanwhile"
                    } : []))
    }
}
