import Foundation
import TestSupport

/// A `JournalWriter` that runs. The last release kills it.
final class WriterProcess {
    static let program = Project.products.appendingPathComponent("JournalWriter").path
    private let process = Process()
    private let (output, input) = (Pipe(), Pipe())
    /// The bytes of a line that has not ended.
    private var rest: [UInt8] = []

    init(_ path: String, durability: String = "full", chunks: Int, size: Int = 20) throws {
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = [path, durability, String(chunks), String(size)]
        (process.standardOutput, process.standardInput) = (output, input)
        try process.run()
    }

    deinit { if process.isRunning { kill() } }

    var id: Int32 { process.processIdentifier }

    /// The newest number of those that it prints, until a line; nil: until the output ends.
    func lines(until end: String?) throws -> UInt64 {
        var newest: UInt64 = 0
        while let line = line() {
            newest = UInt64(line) ?? newest
            if line == end { break }
        }
        return newest
    }

    /// Kills it, as a crash does, and waits for its end.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }
}
