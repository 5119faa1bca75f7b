import Foundation
import TestSupport
import Testing

/// A server of another project, at a port that is free. It ends with the last reference.
class ServerProgram {
    let folder: TemporaryFolder
    private(set) var port = 0
    private var program: RunningProgram?

    /// Starts it, and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: what the failure of the test calls it.
    ///   - folder: where it runs.
    init(_ name: String, in folder: TemporaryFolder) throws {
        self.folder = folder
        // Another program may take the port before the server does, which then ends.
        var tries = 0
        repeat {
            try #require(tries < 10, "\(name) does not start")
            tries += 1
            port = try Self.freePort()
        } while try !begin()
    }

    /// A port that no program has now.
    static func freePort() throws -> Int {
        let script = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        let found = try Shell.run("/usr/bin/env", ["python3", "-c", script]).output
        return try #require(Int(found.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Starts the program at `port`.
    func launch() throws -> RunningProgram { preconditionFailure("each server has its own") }

    /// Waits until the program listens; false if it ends instead.
    func listens(_ program: RunningProgram) -> Bool { preconditionFailure("each server has its own") }

    /// Starts it at the port that it had before.
    func start() throws {
        let listens = try begin()
        try #require(listens)
    }

    private func begin() throws -> Bool {
        let started = try launch()
        program = started
        return listens(started)
    }

    /// Kills it.
    func end() throws {
        let program = try #require(program)
        kill(program.identifier, SIGKILL)
        #expect(program.end().status == SIGKILL)
        self.program = nil
    }
}
