public import Foundation

/// Runs programs for tests and keeps their output.
public enum Shell {
    /// The outcome of a program.
    public struct Outcome: Sendable {
        /// The exit code; 128 plus the signal's number when a signal ended it.
        public let status: Int32
        /// Everything on descriptor 1.
        public let output: String
        /// Everything on descriptor 2.
        public let errors: String
    }

    /// Runs `program` (looked up in PATH unless it contains a slash) to its end.
    ///
    /// The outputs go through files, so that a program that prints much cannot block on a full pipe. A
    /// program that does not end within ten minutes is killed, and its status is 124 or 137.
    public static func run(
        _ program: String, _ arguments: [String] = [], in folder: URL? = nil,
        environment: [String: String] = [:],
        input: String = ""
    ) throws -> Outcome {
        let scratch = try TemporaryFolder()
        let (out, err, source) = (scratch.url("out"), scratch.url("err"), scratch.url("in"))
        for file in [out, err] { try Data().write(to: file) }
        try Data(input.utf8).write(to: source)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["--kill-after=5", "600", program] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        process.standardInput = try FileHandle(forReadingFrom: source)
        try process.runWithSignals()
        process.waitUntilExit()
        let status =
            process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(
            status: status, output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }
}
