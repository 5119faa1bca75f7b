import Foundation
import TestSupport
import Testing

/// A run with a journal that ends while its input is still open, so that a later process reads again.
struct InterruptedRun {
    static let environment = ["NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"]

    let status: Int32
    let output: String
    let errors: String

    /// Runs the app of the folder with `run.journal`, gives it lines, and stops it once it has printed a text. Without
    /// a text it must end by itself.
    init(_ lines: [Int], until text: String, _ options: [String] = [], in folder: TemporaryFolder) throws {
        let host = try RunningProgram(
            ["run", "--steps", "--journal", "run.journal", "--durable", "every-step"] + options,
            in: folder.root, environment: Self.environment)
        // It may end before it reads all.
        for line in lines { try? host.write("\(line)") }
        var output = ""
        while case let line = host.nextLine(), !line.isEmpty {
            output += line + "\n"
            if !text.isEmpty, line.contains(text) { kill(host.identifier, SIGTERM) }
        }
        (status, errors) = host.end()
        self.output = output
    }
}
