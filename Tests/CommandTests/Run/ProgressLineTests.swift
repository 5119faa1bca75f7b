import Foundation
import Glibc
import HostLoop
import TestSupport
import Testing

@testable import spinhost

/// The line on stderr that says how far a long command is.
@Suite(.timeLimit(.minutes(10))) struct ProgressLineTests {
    /// What a line wrote, piece by piece.
    private final class Written: Sendable {
        private let pieces = Lock<[String]>([])

        var all: [String] { pieces.withLock { $0 } }

        func line(
            _ title: String, counting noun: (one: String, many: String)? = nil, patience: Duration = .zero,
            columns: Int = 80
        ) -> ProgressLine {
            // The test draws it: its own timer never comes.
            ProgressLine(
                title, counting: noun,
                ProgressLine.Timing(patience: patience, interval: .seconds(100_000)),
                columns: { columns }
            ) { piece in self.pieces.withLock { $0.append(piece) } }
        }
    }

    private static let erased = "\r\u{1B}[K"

    @Test func `the line says what is done, how much of it, and for how long, and is erased at the end`() {
        let written = Written()
        let line = written.line("checking run.journal", counting: ("entry", "entries"))
        line.draw()
        #expect(
            written.all[0].hasPrefix("\rchecking run.journal: ") && written.all[0].hasSuffix(" s\u{1B}[K"))
        #expect(!written.all[0].contains("entr"))
        line.report(done: 1)
        line.draw()
        #expect(written.all[1].hasPrefix("\rchecking run.journal: 1 entry, "))
        line.report(done: 1204, of: 4000)
        line.draw()
        #expect(written.all[2].hasPrefix("\rchecking run.journal: 1,204 entries, 30 %, "))
        line.end()
        #expect(written.all.count == 4 && written.all.last == Self.erased)
        line.draw()
        line.end()
        #expect(written.all.count == 4)
    }

    @Test func `parts of a work are counted with their names, and a narrow terminal cuts the line`() {
        let written = Written()
        let line = written.line("checking half.so", columns: 20)
        line.report("trying loads-twice", done: 12, of: 23)
        line.draw()
        #expect(written.all == ["\rtrying loads-twice…\u{1B}[K"])
        let wide = Written()
        let other = wide.line("checking half.so")
        other.report("trying loads", done: 11, of: 23)
        other.draw()
        #expect(wide.all[0].hasPrefix("\rtrying loads: 11 of 23, "))
        line.end()
        other.end()
    }

    @Test func `other output erases the line, which is drawn again later`() {
        let written = Written()
        let line = written.line("recovering run.journal")
        line.pause {}
        #expect(written.all.isEmpty)
        line.draw()
        line.pause { #expect(written.all.last == Self.erased) }
        line.pause {}
        #expect(written.all.count == 2)
        line.draw()
        #expect(written.all.count == 3)
        line.end()
    }

    @Test func `a short command shows nothing`() {
        let written = Written()
        let line = written.line("checking run.journal", patience: .seconds(100_000))
        line.report(done: 1, of: 2)
        line.draw()
        line.end()
        #expect(written.all.isEmpty)
        #expect(ProgressLine.show("checking run.journal", if: false) { $0 == nil })
    }

    @Test func `a check of a plugin that takes long says on a terminal which rule it tries`() throws {
        let folder = try TemporaryFolder()
        try folder.write("gate", "")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        // Loading it waits while another process holds the gate.
        _ = try CCompiler("cc").sharedObject(
            """
            #include <spinhost/plugin.h>
            #include <fcntl.h>
            #include <sys/file.h>
            #include <unistd.h>
            SPIN_PLUGIN("half", "1.0.0");
            static int32_t half(int32_t n) { return n / 2; }
            SPIN_EFFECT(int32_t, half, (int32_t n), "Half.");
            __attribute__((constructor)) static void pass_gate(void) {
                int gate = open("gate", O_RDONLY | O_CLOEXEC);
                flock(gate, LOCK_SH);
                close(gate);
            }
            """, in: folder, as: "half.so", flags: ["-I\(include)"])
        // Safe because the path is borrowed for the call.
        let gate = unsafe open(folder.url("gate").path, O_RDONLY | O_CLOEXEC)
        defer { close(gate) }
        #expect(flock(gate, LOCK_EX) == 0)
        let program = try TerminalProgram(
            ["plugin", "check", "./half.so", "--timeout", "300"], in: folder.root)
        #expect(program.waits { $0.drawn.contains(#/\rtrying [a-z-]+: \d+ of \d+, \d+ s\x{1B}\[K/#) })
        #expect(flock(gate, LOCK_UN) == 0)
        #expect(program.end() == 0)
        // What a person sees in the end.
        let left = program.drawn.replacing(#/\r[^\r\n]*\x{1B}\[K/#, with: "")
        let lines = left.split(separator: "\r\n")
        #expect(lines.contains("ok       loads") && lines.last?.contains(" rules: ") == true)
        #expect(!left.contains("trying") && !left.contains("\u{1B}"))
    }
}
