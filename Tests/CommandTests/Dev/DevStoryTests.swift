import Foundation
import TestSupport
import Testing

/// Plays what the READMEs of this project and of new projects show of `spinhost dev`, at a terminal.
@Suite(.timeLimit(.minutes(10))) struct DevStoryTests {
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal

    init() throws {
        folder = try TemporaryFolder()
        terminal = try PseudoTerminal()
    }

    private var environment: [String: String] {
        [
            "PATH": "\(Project.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
            "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        ]
    }

    /// Runs a command in a project, which ends well.
    private func run(_ command: String, in project: URL) throws {
        let outcome = try Shell.run("bash", ["-c", command], in: project, environment: environment)
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
    }

    /// Starts a line that ends in `spinhost dev`. Its outputs are no terminal, so that step lines have to be asked for.
    private func start(_ line: String, in project: URL? = nil) throws -> RunningProgram {
        try RunningProgram(
            ["-c", "\(line) --steps"], in: project ?? folder.root, environment: environment,
            program: "/bin/bash", terminal: terminal)
    }

    @Test func whatTheReadmeShows_happens() throws {
        let story = try #require(try CodeBlock.all(in: "README.md").lazy.compactMap(TerminalStory.init).first)
        try story.play(in: folder) { try start($0) }
    }

    @Test(arguments: ["c", "swift"])
    func whatTheReadmeOfANewProjectSays_happens(_ template: String) throws {
        let project = folder.url("half")
        try develop(
            start("spinhost new half --template \(template) && cd half && exec spinhost dev"), project,
            "half.\(template)")
        let readme = try String(contentsOf: project.appendingPathComponent("README.md"), encoding: .utf8)
        let commands = readme.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { line in
            line.prefix(upTo: line.firstRange(of: "  #")?.lowerBound ?? line.endIndex)
                .trimmingCharacters(in: .whitespaces)
        }
        #expect(
            commands == [
                "make && spinhost", "spinhost dev", "spinhost test", "spinhost check", "spinhost fmt",
                "spinhost graph",
            ])
        for command in commands {
            if command == "spinhost dev" {
                try develop(start("exec \(command)", in: project), project, "half.\(template)")
            } else {
                try run(command, in: project)
            }
        }
    }

    /// Uses `dev` as its README says: the app ends, and runs again after Enter and after each save.
    private func develop(_ program: RunningProgram, _ project: URL, _ source: String) throws {
        let file = project.appendingPathComponent(source)
        func ends(_ round: Int) throws {
            let watching =
                "\nwatching `\(source)`, `app.toml`; save one of them or press Enter to run again, Ctrl-C to quit\n"
            try #require(program.waitForErrors(watching, times: round))
        }
        func save(_ text: String, as other: String) throws {
            try String(contentsOf: file, encoding: .utf8).replacing(text, with: other)
                .write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(program.nextLine(with: "#10  ").contains("halved(to: 0)"))
        try ends(1)
        try terminal.type()
        #expect(program.nextLine() == "main  #0  n = 1000")
        try ends(2)
        try save("n / 2", as: "n / 10")
        #expect(program.nextLine(with: "#0  ") == "main  #0  n = 1000")
        #expect(program.nextLine() == "main  #1  halved(to: 100)  n 1000 → 100  ← half")
        try ends(3)
        try save("n / 10", as: "n / 2")
        try ends(4)
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.ranges(of: "\ndone: 10 steps, ").count == 3, "\(end.errors)")
    }
}
