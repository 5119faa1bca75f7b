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
        // Each greeting begins a conversation with another host.
        var conversations: [[Substring]] = []
        for block in try CodeBlock.all(in: "docs/control.md") where block.language == "jsonl" {
            for line in block.text.split(separator: "\n") {
                if line.hasPrefix("< {\"spinhost\"") { conversations.append([]) }
                conversations[conversations.count - 1].append(line)
            }
        }
        #expect(conversations.map { lines in lines.count { $0.hasPrefix("> ") } } == [19, 14])
        for lines in conversations { try play(lines) }
    }

    /// Says the lines with `>`, and compares the answers with those with `<`, where `…` stands for any text.
    private func play(_ lines: [Substring]) throws {
        let host = try ControlledHost(manifest())
        let client = try LineClient(host.socket)
        for line in lines {
            if line.hasPrefix("> ") {
                client.say(String(line.dropFirst(2)))
                continue
            }
            let expected = String(line.dropFirst(2))
            if expected.contains("ended") { kill(host.program.identifier, SIGTERM) }
            let heard = client.line() ?? ""
            #expect(Self.matches(heard[...], expected.components(separatedBy: "…")), "\(heard)\n\(expected)")
        }
        if lines.last?.contains("ended") != true { kill(host.program.identifier, SIGTERM) }
        while client.line() != nil {}
        #expect(host.program.end().status == 0)
    }

    /// Whether the text consists of the parts with any text between them.
    private static func matches(_ text: Substring, _ parts: [String]) -> Bool {
        guard parts.count > 1 else { return text == parts[0] }
        guard text.hasPrefix(parts[0]) else { return false }
        let rest = text.dropFirst(parts[0].count)
        return rest.indices.contains { matches(rest[$0...], Array(parts.dropFirst())) }
            || parts.dropFirst().allSatisfy(\.isEmpty)
    }

    @Test func everyCode_isListed() throws {
        let page = try String(
            contentsOf: Project.root.appendingPathComponent("docs/control.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Project.root.appendingPathComponent("Sources/Control/ControlFault.swift"),
            encoding: .utf8)
        let codes = source.matches(of: /case \w+ = "([a-z-]+)"/).map { String($0.output.1) }
        #expect(codes.count == 25)
        for code in codes { #expect(page.contains("`\(code)`"), "\(code)") }
    }
}
