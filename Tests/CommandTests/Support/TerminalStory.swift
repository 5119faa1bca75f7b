import Foundation
import TestSupport
import Testing

/// Commands that a reader types in two terminals, and the lines that the first one shows, as a `text` block has them.
///
/// A line with `$ ` is typed in the first terminal, and a line with `> ` in the second one. All other lines appear in the
/// first terminal: its last command is a program that runs on. The player ends it after the story, unless the story does.
/// The output of the second terminal is not part of the story.
///
/// A line `…` matches up to 100 lines, and `…` at a line's end any rest.
struct TerminalStory {
    /// A command, and the lines that the first terminal shows after it.
    fileprivate struct Step {
        let command: String
        let isInSecondTerminal: Bool
        var lines: [String] = []

        var typed: String { "\(isInSecondTerminal ? ">" : "$") \(command)" }
    }

    private var steps: [Step] = []

    /// The story of a block; nil for a block that does not begin with a command, or uses one terminal only.
    init?(_ block: CodeBlock) {
        guard block.language == "text", block.text.hasPrefix("$ "), block.text.contains("\n> ") else {
            return nil
        }
        for line in block.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ ") || line.hasPrefix("> ") {
                steps.append(
                    Step(command: String(line.dropFirst(2)), isInSecondTerminal: line.hasPrefix("> ")))
            } else {
                steps[steps.count - 1].lines.append(String(line))
            }
        }
    }

    /// Types the commands, and compares each line that appears with the story; the folder's path is left out.
    ///
    /// - Parameters:
    ///   - isRegenerating: whether a line that differs takes the place of the story's line.
    ///   - start: starts the program of the first terminal from a line for the shell, whose last command is `exec`.
    /// - Returns: the lines of each command, which come first.
    @discardableResult
    func play(
        in folder: TemporaryFolder, isRegenerating: Bool = false,
        starting start: ((_ line: String) throws -> RunningProgram)? = nil
    ) throws -> [[String]] {
        var terminals = Terminals(folder)
        let second = steps.firstIndex(where: \.isInSecondTerminal) ?? steps.count
        let told = try steps.enumerated().map { index, step in
            if index < second - 1 {
                try terminals.run(step)
                return [step.typed] + step.lines
            }
            try index < second ? terminals.start(step, start) : terminals.runInSecond(step)
            return try [step.typed] + step.lines.map { try terminals.line($0, after: step, isRegenerating) }
        }
        try terminals.end()
        return told
    }
}

/// Two terminals in one folder.
private struct Terminals {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    /// The program that runs in the first one.
    private var program: RunningProgram?
    private var isKilled = false
    /// Whether any lines may come before the next one of the story.
    private var skips = false

    init(_ folder: TemporaryFolder) {
        self.folder = folder
        environment = Spinhost.environment.merging([
            "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        ]) { $1 }
    }

    private func shell(_ step: TerminalStory.Step) throws -> Shell.Outcome {
        try Shell.run(
            "bash", ["-c", "exec 2>&1\n\(step.command)"], in: folder.root, environment: environment)
    }

    /// Runs a command in the first terminal to its end.
    func run(_ step: TerminalStory.Step) throws {
        let outcome = try shell(step)
        try #require(outcome.status == 0, "\(step.command): \(outcome.output)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(DocumentationTests.matches(lines, step.lines), "\(step.command): \(lines)")
    }

    /// Starts the program of the first terminal, in the process of the shell, so that signals reach it.
    mutating func start(
        _ step: TerminalStory.Step, _ start: ((String) throws -> RunningProgram)?
    ) throws {
        var commands = step.command.split(separator: " && ").map(String.init)
        commands.append("exec \(commands.removeLast())")
        let line = commands.joined(separator: " && ")
        program =
            try start?(line)
            ?? RunningProgram(
                ["-c", line], in: folder.root, environment: environment, program: "/bin/bash")
    }

    /// Runs a command in the second terminal; `kill` reaches the program of the first one alone.
    mutating func runInSecond(_ step: TerminalStory.Step) throws {
        if step.command.hasPrefix("kill ") { return try killProgram() }
        let outcome = try shell(step)
        // 1 is the exit code of a `spinhost swap` that was refused.
        try #require(outcome.status <= 1, "\(step.command): \(outcome.output)")
    }

    private mutating func killProgram() throws {
        kill(try #require(program).identifier, SIGTERM)
        isKilled = true
    }

    /// Waits for a line of the story.
    mutating func line(
        _ expected: String, after step: TerminalStory.Step, _ isRegenerating: Bool
    ) throws -> String {
        guard expected != "…" else {
            skips = true
            return expected
        }
        var seen: [String] = []
        while seen.isEmpty || skips && seen.count < 100 {
            guard let next = try next(like: expected) else { break }
            seen.append(next.replacing("\(folder.root.path)/", with: ""))
            guard !DocumentationTests.matches([seen[seen.count - 1]], [expected]) else {
                skips = false
                return expected
            }
        }
        if isRegenerating, !skips, let found = seen.first { return found }
        try #require(
            Bool(false), "after \(step.typed)\nexpected: \(expected)\nfound: \(seen.joined(separator: "\n"))")
        return expected
    }

    /// The next line on the output that such a line is on: steps are on stdout, and all else is on stderr. A terminal
    /// shows the lines of each output in order.
    private func next(like expected: String) throws -> String? {
        let program = try #require(program)
        return expected.contains(#/^\S+  #\d+( |$)/#) ? program.nextLine() : program.nextErrorLine()
    }

    /// Ends the program of the first terminal, which must end in order.
    mutating func end() throws {
        if !isKilled { try killProgram() }
        let end = try #require(program).end()
        #expect(end.status == 0, "\(end.errors)")
    }
}
