import App
import Foundation
import HostLoop
import Records
import TestSupport
import Testing

/// `std:lines` and a loop that is slower than it.
@Suite(.timeLimit(.minutes(10))) struct LineFlowTests {
    private static let (count, width, capacity) = (20_000, 64, 50)

    /// At every hundredth step, how far the file was read beyond the lines that the loop has taken.
    private final class ReadAhead: AppObserver {
        private let path: String
        private let found = Lock<[Int]>([])

        var bytes: [Int] { found.withLock { $0 } }

        init(_ path: String) { self.path = path }

        func stepped(_ step: AppStep) {
            guard step.index % 100 == 0, let position = position() else { return }
            found.withLock { $0.append(position - Int(step.index) * LineFlowTests.width) }
        }

        /// The position of the descriptor that the file is read by; nil when it was closed.
        private func position() -> Int? {
            let (files, folder) = (FileManager.default, "/proc/self/fd")
            let numbers = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            let number = numbers.first {
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
            }
            guard let number,
                let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("pos:") })
            else { return nil }
            return Int(line.dropFirst(4).filter(\.isNumber))
        }
    }

    @Test func theFileIsReadNoFasterThanTheLoopTakesItsLines() async throws {
        let folder = try TemporaryFolder()
        let lines = (0..<Self.count).map {
            "\($0) ".padding(toLength: Self.width - 1, withPad: "x", startingAt: 0)
        }
        let path = try folder.write("lines", lines.map { $0 + "\n" }.joined())
        let app = try RecordedRun().app(
            """
            [loops.main]
            state   = { n = 0, ordered = true, ended = -1 }
            events  = { line = { text = "string" }, ended = { lines = "int" } }
            until   = "state.ended >= 0"
            mailbox = { capacity = \(Self.capacity) }
            feedback.read = { effect = "std:lines", args = ["'\(path)'"] }
            [loops.main.on]
            line  = { set = { n = "state.n + 1", ordered = "state.ordered && event.text.startsWith(string(state.n) + ' ')" } }
            ended = { if = "state.ordered", set = { ended = "event.lines" } }

            """)
        defer { app.close() }
        let watch = ReadAhead(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        let end = await app.start(observer: watch).finished()
        #expect(end.outcome == .done)
        #expect(end.counters.steps == Self.count + 1)
        #expect(end.counters.drops == 0)
        #expect(end.counters.faults == 0)
        // The mailbox, what waits for room in it, and what was read at once: a few pieces of 64 KiB.
        let most = Self.capacity * Self.width + 4 * 65_536
        #expect(most < Self.count * Self.width / 4)
        #expect(watch.bytes.count > 50)
        #expect(watch.bytes.allSatisfy { $0 <= most }, "\(watch.bytes.max() ?? 0)")
    }

    /// Each line becomes three events, which the mailbox holds only when it has nothing else.
    private static func tripling(_ path: String, capacity: Int) -> String {
        """
        [loops.main]
        state   = { n = 0, ordered = true, ended = -1 }
        events  = { line = { text = "string", part = "int" }, ended = { lines = "int" } }
        until   = "state.ended >= 0"
        mailbox = { capacity = \(capacity) }
        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'\(path)'"]
        emits.line = [
            { event = "line", text = "value.text", part = "0" },
            { event = "line", text = "value.text", part = "1" },
            { event = "line", text = "value.text", part = "2" },
        ]
        [loops.main.on]
        line  = { set = { n = "state.n + 1", ordered = "state.ordered && event.text == string(state.n / 3) && event.part == state.n % 3" } }
        ended = { if = "state.ordered", set = { ended = "event.lines" } }

        """
    }

    @Test(arguments: [3, 4, 7]) func aLineThatIsSeveralEventsWaitsForRoomForAll(capacity: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("lines", (0..<2_000).map { "\($0)\n" }.joined())
        let run = RecordedRun()
        let end = try await run.run(Self.tripling(path, capacity: capacity))
        #expect(end.outcome == .done, "\(run.faults)")
        #expect(end.counters.steps == 3 * 2_000 + 1)
        #expect(end.counters.drops == 0)
    }

    @Test func aLineThatNeverHasRoomIsAFault() async throws {
        let folder = try TemporaryFolder()
        let run = RecordedRun()
        let end = try await run.run(Self.tripling(try folder.write("lines", "0\n"), capacity: 2))
        #expect(end.counters.faults == 1)
        #expect(
            run.faults == [
                "main 0 feedback:read: `lines` failed: one emission becomes more events than the loop's mailbox can hold"
            ])
    }
}
