import Foundation
import TestSupport

/// A program that is still running, `spinhost` if not told: its output is read as it comes.
final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors: TemporaryFolder
    /// How many lines of stderr were read.
    private var errorLines = 0

    init(
        _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:],
        program: String = Project.spinhost
    ) throws {
        errors = try TemporaryFolder()
        try errors.write("errors", "")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors.url("errors"))
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Gives it a line on stdin.
    func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Ends its stdin.
    func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Waits for the next line of stdout; empty when the program ends before.
    func nextLine() -> String {
        var line: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
            byte != UInt8(ascii: "\n")
        {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
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

    /// Waits until stderr has the text; false when the program ends before.
    func waitForErrors(_ text: String) -> Bool { waitForErrors { $0.contains(text) } }

    /// Waits until stderr is as wanted; false when the program ends before.
    @discardableResult
    private func waitForErrors(_ areThere: (String) -> Bool) -> Bool {
        var found = false
        blockUntil {
            let isRunning = process.isRunning
            found = areThere(text)
            return found || !isRunning
        }
        return found
    }

    private var text: String { (try? String(contentsOf: errors.url("errors"), encoding: .utf8)) ?? "" }

    /// Waits for the end, while it reads on; sends the signal again until then, if one is given.
    func end(repeating signal: Int32? = nil) -> (status: Int32, errors: String) {
        if let signal {
            let deadline = ContinuousClock.now + .seconds(60)
            blockUntil {
                kill(identifier, signal)
                return !process.isRunning || ContinuousClock.now >= deadline
            }
            if process.isRunning { kill(identifier, SIGKILL) }
        } else {
            _ = try? output.fileHandleForReading.readToEnd()
        }
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
