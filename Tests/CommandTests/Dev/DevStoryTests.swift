import Foundation
import TestSupport
import Testing

/// Plays what the README shows of `spinhost dev`.
@Suite(.timeLimit(.minutes(10))) struct DevStoryTests {
    @Test func whatTheReadmeShows_happens() throws {
        let block = try #require(
            try CodeBlock.all(in: "README.md").first { $0.text.contains("$ spinhost dev") })
        let folder = try TemporaryFolder()
        let environment = [
            "PATH": "\(Project.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
            "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        ]
        func run(_ command: Substring) throws -> [String] {
            let outcome = try Shell.run(
                "bash", ["-c", String(command)], in: folder.root, environment: environment)
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            return outcome.output.split(separator: "\n").map(String.init)
        }
        var program: RunningProgram?
        var isBetween = false
        var printed: [String] = []
        for line in block.text.split(separator: "\n") {
            if line.hasPrefix("$ spinhost dev") {
                program = try RunningProgram(
                    ["-c", "exec \(line.dropFirst(2))"], in: folder.root, environment: environment,
                    program: "/bin/bash")
            } else if line.hasPrefix("$ ") {
                printed += try run(line.dropFirst(2))
            } else if line.hasPrefix("> kill ") {
                // Others that run are none of its business.
                kill(try #require(program).identifier, SIGTERM)
            } else if line.hasPrefix("> ") {
                _ = try run(line.dropFirst(2))
            } else if line == "…" {
                isBetween = true
            } else {
                var seen: [String] = []
                // A terminal shows both outputs, which come in the order in which each was written.
                func next() -> String? {
                    guard printed.isEmpty else { return printed.removeFirst() }
                    return line.hasPrefix("main ") ? program?.nextLine() : program?.nextErrorLine()
                }
                var isFound = false
                while !isFound, isBetween && seen.count < 100 || seen.isEmpty, let found = next() {
                    seen.append(found)
                    isFound = DocumentationTests.matches([found], [String(line)])
                }
                try #require(isFound, "expected: \(line)\nfound: \(seen.joined(separator: "\n"))")
                isBetween = false
            }
        }
        #expect(try #require(program).end().status == 0)
    }
}
