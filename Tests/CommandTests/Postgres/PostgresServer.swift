import Foundation
import TestSupport
import Testing

/// A PostgreSQL in a folder of its own, at a port that is free. The user `ada` owns it and needs no password.
final class PostgresServer {
    let port: Int
    private let folder: TemporaryFolder
    private let programs: String

    init() throws {
        let found = try Shell.run("/bin/sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | tail -1"]).output
        port = try ServerProgram.freePort()
        programs = found.trimmingCharacters(in: .whitespacesAndNewlines)
        folder = try TemporaryFolder()
        // It refuses to run as root.
        if getuid() == 0 { try Self.succeed(Shell.run("/bin/chown", ["postgres", folder.root.path])) }
        try run("initdb", "-U", "ada", "-A", "trust", "-N")
        try start()
    }

    deinit { try? end() }

    /// Starts it, and waits until it can be reached.
    func start() throws {
        let options = "-p \(port) -k \(folder.root.path) -c listen_addresses=127.0.0.1 -c fsync=off"
        try run("pg_ctl", "-w", "-s", "-l", folder.url("log").path, "-o", options, "start")
    }

    /// Ends it as a crash does.
    func end() throws { try run("pg_ctl", "-w", "-s", "-m", "immediate", "stop") }

    /// What a statement prints, as another client.
    @discardableResult
    func sql(_ statement: String) throws -> String {
        let place = "postgresql://ada@127.0.0.1:\(port)/postgres"
        let outcome = try Shell.run("\(programs)/psql", [place, "-Atqc", statement])
        try Self.succeed(outcome)
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let command = ["\(programs)/\(program)", "-D", folder.url("data").path] + arguments
        let user = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        // The server keeps what it inherits open, by which Foundation learns of the end of a process.
        let script =
            "for fd in /proc/self/fd/*; do fd=${fd##*/}; ((fd < 3)) || eval \"exec $fd>&-\"; done; exec \"$@\""
        try Self.succeed(Shell.run("/bin/bash", ["-c", script, "bash"] + user + command, in: folder.root))
    }

    private static func succeed(_ outcome: Shell.Outcome) throws {
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
