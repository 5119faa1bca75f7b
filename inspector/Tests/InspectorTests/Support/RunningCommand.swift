import Foundation
import Testing

/// A program of a test, which is killed with the last reference.
final class RunningCommand {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    init(_ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:])
        throws
    {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var identifier: Int32 { process.processIdentifier }

    /// The next line of stdout or stderr; nil at its end.
    func line(ofErrors: Bool = false) -> String? {
        let file = (ofErrors ? errors : output).fileHandleForReading
        var line: [UInt8] = []
        while let byte = try? file.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Ends its standard input.
    func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Gives it a text as all of its input, and waits for its end.
    ///
    /// - Returns: the exit code, or 128 and the number of the signal, and what it still had to say.
    func end(input text: String? = nil) -> (status: Int32, output: String, errors: String) {
        if let text {
            try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try? closeInput()
        }
        let said = [output, errors].map { pipe in
            String(decoding: (try? pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        }
        process.waitUntilExit()
        let isExit = process.terminationReason == .exit
        return (process.terminationStatus + (isExit ? 0 : 128), said[0], said[1])
    }

    /// The folder with the programs of this package.
    static var products: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The program under test, without the rights of root: its users do not have them.
    static func inspector(_ arguments: String...) throws -> RunningCommand { try inspector(arguments) }

    static func inspector(_ arguments: [String]) throws -> RunningCommand {
        let folder = try #require(inspectorFolder, "the program spinhost-inspector is not built")
        let program = folder.appendingPathComponent("spinhost-inspector").path
        guard geteuid() == 0 else { return try RunningCommand(program, arguments) }
        return try RunningCommand(
            "/usr/bin/setpriv", ["--bounding-set", "-all", "--inh-caps", "-all", program] + arguments)
    }

    private static var inspectorFolder: URL? {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../.build/debug").standardizedFileURL
        return [products, source].first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("spinhost-inspector").path)
        }
    }

    /// The path of a real host, which the variable `SPINHOST` names.
    static var host: String? { ProcessInfo.processInfo.environment["SPINHOST"] }
}
