import Foundation
import TestSupport
import Testing

/// The examples of docs/control.md.
struct ControlDocumentTests {
    private func manifest() throws -> String {
        try #require(CodeBlock.all(in: "docs/control.md").first { $0.file == "app.toml" }).text
    }

    @Test func commands_doWhatTheySay() throws {
        let host = try ControlledHost(printing: manifest())
        #expect(host.program.nextLine().contains(#""step":0"#))
        let path = "\(Project.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        var count = 0
        for block in try CodeBlock.all(in: "docs/control.md") where block.language == "console" {
            for (command, expected) in block.commands {
                let outcome = try Shell.run(
                    "bash", ["-c", "\(command) 2>&1"], in: host.folder.root,
                    environment: ["PATH": path, "XDG_RUNTIME_DIR": host.folder.root.path])
                #expect(outcome.output == expected.map { "\($0)\n" }.joined(), "\(command)")
                // The event becomes a step in the loop's own time.
                if outcome.output == "queued\n" { #expect(host.program.nextLine().contains("\"event\"")) }
                count += 1
            }
        }
        #expect(count == 6)
    }

    @Test func protocol_isAsItSays() throws {
        let host = try ControlledHost(manifest())
        let client = try LineClient(host.socket)
        var (asked, heard) = (0, 0)
        for block in try CodeBlock.all(in: "docs/control.md") where block.language == "jsonl" {
            for line in block.text.split(separator: "\n") {
                if line.hasPrefix("> ") {
                    client.say(String(line.dropFirst(2)))
                    asked += 1
                    continue
                }
                heard += 1
                let expected = String(line.dropFirst(2)).replacing("…", with: "\(host.program.identifier)")
                if expected.contains("ended") { kill(host.program.identifier, SIGTERM) }
                #expect(client.line() == expected)
            }
        }
        #expect(client.line() == nil)
        #expect(host.program.end().status == 0)
        #expect(asked == 19 && heard == 26)
    }

    @Test func everyCode_isListed() throws {
        let page = try String(
            contentsOf: Project.root.appendingPathComponent("docs/control.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Project.root.appendingPathComponent("Sources/Control/ControlFault.swift"),
            encoding: .utf8)
        let codes = source.matches(of: /case \w+ = "([a-z-]+)"/).map { String($0.output.1) }
        #expect(codes.count == 15)
        for code in codes { #expect(page.contains("`\(code)`"), "\(code)") }
    }
}
