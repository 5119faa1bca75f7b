import Foundation
import Testing
import TestSupport

/// Every code block of these pages does what it says. `TestedPageTests` names the other pages with code.
struct DocumentationTests {
    static let pages = [
        "README.md", "docs/command-line.md", "docs/files.md", "docs/gpio.md", "docs/http.md",
        "docs/idempotent-effects.md", "docs/isolation.md", "docs/journal.md",
        "docs/long-running-plugins.md", "docs/manifest.md", "docs/mqtt.md", "docs/nats.md", "docs/net.md",
        "docs/plugin-check.md", "docs/plugins.md", "docs/postgres.md", "docs/redis.md", "docs/serial.md",
        "docs/serve.md", "docs/sqlite.md", "docs/std.md", "docs/tutorials/device-sdk.md",
        "docs/tutorials/first-effect.md", "docs/tutorials/log-pipeline.md", "docs/tutorials/service.md",
        "examples/bridge/README.md", "examples/guestbook/README.md", "examples/payment/README.md",
        "examples/sitewatch/README.md",
    ]

    @Test(arguments: pages)
    func codeBlocks_doWhatTheySay(_ path: String) throws {
        let folder = try TemporaryFolder()
        var commands = 0
        for block in try CodeBlock.all(in: path) {
            if let file = block.file { try folder.write(file, block.text) }
            // `DevStoryTests` plays the story of the README: `dev` shows steps there because it runs at a terminal.
            if path != "README.md", block.language == "text", block.text.hasPrefix("$ ") {
                try #require(TerminalStory(block), "\(path), line \(block.line)").play(in: folder)
            }
            guard block.language == "console" else { continue }
            for (command, expected) in block.commands {
                commands += 1
                let output = try output(of: command, in: folder)
                #expect(
                    Self.matches(output, expected),
                    "\(path): `\(command)` printed:\n\(output.joined(separator: "\n"))")
            }
        }
        #expect(commands > 0)
    }

    @Test func files_ofTheReadme_areAll() throws {
        let files = try CodeBlock.all(in: "README.md").compactMap(\.file)
        #expect(files == ["half.c", "app.toml"])
    }

    /// `script/run` builds in release and then runs the program; here the program of this build runs. The
    /// examples are in the project.
    private func output(of command: String, in folder: TemporaryFolder) throws -> [String] {
        var command = command
        command.replace(#/examples\/(\w+)\/app\.toml/#) { "'\(Spinhost.example(String($0.1)))'" }
        if command == "script/run" { command = "spinhost --manifest '\(Spinhost.example("levels"))' --steps" }
        let outcome = try Shell.run(
            "bash", ["-c", "exec 2>&1\n\(command)"], in: folder.root, environment: Spinhost.environment)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// Whether the lines are the expected ones; a line `…` stands for any lines, `…` at a line's end for any rest.
    static func matches(_ lines: [String], _ expected: [String]) -> Bool {
        guard let first = expected.first else { return lines.isEmpty }
        let rest = Array(expected.dropFirst())
        if first == "…" { return (0...lines.count).contains { matches(Array(lines.dropFirst($0)), rest) } }
        guard let line = lines.first else { return false }
        let fits = first.hasSuffix("…") ? line.hasPrefix(first.dropLast()) : line == first
        return fits && matches(Array(lines.dropFirst()), rest)
    }
}
