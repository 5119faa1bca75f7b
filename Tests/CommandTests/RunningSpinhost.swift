import Foundation
import TestSupport

/// A `spinhost` that is still running: its output is read as it comes.
final class RunningSpinhost {
    private let process = Process()
    private let output = Pipe()
    private let errors: TemporaryFolder

    init(_ arguments: [String], in folder: URL? = nil) throws {
        errors = try TemporaryFolder()
        try errors.write("errors", "")
        process.executableURL = URL(fileURLWithPath: Project.spinhost)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors.url("errors"))
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the first line of stdout; empty when the program ends before.
    func firstLine() -> String {
        var line: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
            byte != UInt8(ascii: "\n")
        {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Waits until stderr has the text; false when the program ends before.
    func waitForErrors(_ text: String) -> Bool {
        while true {
            let isRunning = process.isRunning
            let errors = (try? String(contentsOf: errors.url("errors"), encoding: .utf8)) ?? ""
            if errors.contains(text) { return true }
            guard isRunning else { return false }
        }
    }

    /// Waits for the end, while it reads on; sends the signal again until then, if one is given.
    func end(repeating signal: Int32? = nil) -> (status: Int32, errors: String) {
        if let signal {
            let deadline = ContinuousClock.now + .seconds(60)
            while process.isRunning, ContinuousClock.now < deadline { kill(identifier, signal) }
            if process.isRunning { kill(identifier, SIGKILL) }
        } else {
            _ = try? output.fileHandleForReading.readToEnd()
        }
        process.waitUntilExit()
        let text = (try? String(contentsOf: errors.url("errors"), encoding: .utf8)) ?? ""
        return (process.terminationStatus, text)
    }
}
