import Foundation
import TestSupport
import Testing

/// A program that is still running, `spinhost` if not told: its output is read as it comes.
///
/// It is killed with the last reference, and when it has not ended after five minutes, which is a failure of the test; for whoever
/// waits it has ended then.
final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors: TemporaryFolder
    private let deadline = ContinuousClock.now + .seconds(300)
    private var isGivenUp = false
    /// What was read of stdout and told to nobody yet.
    private var unread: [UInt8] = []
    /// Whether nothing more comes on stdout.
    private var isAtEnd = false
    /// How many lines of stderr were read.
    private var errorLines = 0

    /// - Parameter terminal: what the program has as its stdin, in place of what `write` writes to.
    init(
        _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:],
        program: String = Project.spinhost, terminal: PseudoTerminal? = nil
    ) throws {
        errors = try TemporaryFolder()
        try errors.write("errors", "")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = terminal?.program ?? input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors.url("errors"))
        try process.runWithSignals()
    }

    /// A program in Python of the tests' fixtures.
    convenience init(fixture path: String) throws {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/\(path)")
        try self.init(["python3", file.path], program: "/usr/bin/env")
    }

    deinit { if process.isRunning { kill(identifier, SIGKILL) } }

    var identifier: Int32 { process.processIdentifier }

    /// The processes that it has started and that have not been waited for.
    var children: [Int32] { process.children }

    /// Gives it a line on stdin.
    func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Ends its stdin.
    func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Waits for the next line of stdout; empty when the program ends before.
    func nextLine() -> String {
        repeat {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
        } while read()
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits for a line of stdout that has the text; empty when the program ends before.
    func nextLine(with text: String) -> String {
        while true {
            let line = nextLine()
            if line.contains(text) || line.isEmpty { return line }
        }
    }

    /// Waits for more of stdout; false at its end.
    private func read() -> Bool {
        let file = output.fileHandleForReading
        var request = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the request is a local, which the call writes.
        while !isAtEnd, !isOverdue {
            guard unsafe poll(&request, 1, 100) > 0 else { continue }
            let more = file.availableData
            isAtEnd = more.isEmpty
            unread += more
            return !isAtEnd
        }
        return false
    }

    /// Whether it was given up, as it takes too long.
    private var isOverdue: Bool {
        if !isGivenUp, ContinuousClock.now >= deadline {
            isGivenUp = true
            kill(identifier, SIGKILL)
            Issue.record("a program takes too long; it has said on stderr: \(text)")
        }
        return isGivenUp
    }

    /// Waits for the next line of stderr; nil when the program ends before.
    func nextErrorLine() -> String? {
        var line: String?
        waitForErrors { errors in
            // What comes after the last line end is none yet.
            let lines = errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard errorLines < lines.count else { return false }
            errorLines += 1
            line = String(lines[errorLines - 1])
            return true
        }
        return line
    }

    /// Waits until stderr has the text so many times; false when the program ends before.
    func waitForErrors(_ text: String, times: Int = 1) -> Bool {
        waitForErrors { $0.ranges(of: text).count >= times }
    }

    /// Waits until stderr is as wanted; false when the program ends before.
    @discardableResult
    private func waitForErrors(_ areThere: (String) -> Bool) -> Bool {
        while true {
            let isRunning = process.isRunning
            if areThere(text) { return true }
            guard isRunning, !isOverdue else { return false }
            usleep(1000)
        }
    }

    private var text: String { (try? String(contentsOf: errors.url("errors"), encoding: .utf8)) ?? "" }

    /// Waits for the end, while it reads on; sends the signal again until then, if one is given.
    func end(repeating signal: Int32? = nil) -> (status: Int32, errors: String) {
        if let signal {
            while process.isRunning, !isOverdue {
                kill(identifier, signal)
                usleep(1000)
            }
        } else {
            while read() {}
        }
        // With its outputs closed it may run on.
        while process.isRunning, !isOverdue { usleep(1000) }
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
