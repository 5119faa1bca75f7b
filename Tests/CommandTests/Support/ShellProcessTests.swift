import Foundation
import Glibc
import TestSupport
import Testing

@testable import spinhost

/// What becomes of the processes that a line of the shell has started.
@Suite(.timeLimit(.minutes(10))) struct ShellProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A shell, and the number of the process that it has started, once that is in the file `child`.
    private func start(_ line: String) throws -> (shell: ShellProcess, child: Int32) {
        let shell = try #require(
            ShellProcess("cd \(folder.root.path); \(line)", inGroup: true), "no process")
        try blockUntil { number != nil }
        return (shell, try #require(number))
    }

    private var number: Int32? {
        let text = (try? String(contentsOf: folder.url("child"), encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
    }

    private func isGone(_ child: Int32) -> Bool { DevBuilderTests.isGone(child) }

    /// Starts something in the background, which says who it is when it is ready.
    private func background(_ line: String) -> String {
        "sh -c '\(line)' & while [ ! -s child ]; do sleep 0.01; done"
    }

    @Test func whatAShellLeaves_isKilled_whenItWasAskedToEnd_andDoesNot() throws {
        let (shell, child) = try start(
            background(#"trap "" TERM; echo $$ > child; exec sleep 1000"#) + "; wait")
        shell.end(SIGTERM)
        #expect(shell.wait(patience: .zero) == SIGTERM)
        try blockUntil { isGone(child) }
    }

    @Test func whatAShellLeaves_mayTidyUp_whenItWasAskedToEnd() throws {
        let tidy =
            #"trap "rm working; exit" TERM; touch working; echo $$ > child; while :; do sleep 0.01; done"#
        let (shell, child) = try start(background(tidy) + "; wait")
        shell.end(SIGTERM)
        #expect(shell.wait(patience: .seconds(300)) == SIGTERM)
        #expect(!FileManager.default.fileExists(atPath: folder.url("working").path))
        try blockUntil { isGone(child) }
    }

    @Test func whatAShellLeaves_isKilled_whenItEndsByASignal() throws {
        let (shell, child) = try start(background("echo $$ > child; exec sleep 1000") + "; kill -KILL $$")
        #expect(shell.wait() == SIGKILL)
        try blockUntil { isGone(child) }
    }

    @Test func whatAShellLeaves_continues_whenItEndsByItself() throws {
        let lasting = "echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; touch went"
        let (shell, child) = try start(background(lasting) + "; exit 3")
        #expect(shell.wait() == 3 << 8)
        try folder.write("go", "")
        try blockUntil { FileManager.default.fileExists(atPath: folder.url("went").path) }
        try blockUntil { isGone(child) }
    }
}
