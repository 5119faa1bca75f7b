import Foundation
import TestSupport
import Testing

/// `spinhost status`
@Suite(.timeLimit(.minutes(10))) struct StatusCommandTests {
    @Test func `It prints a line for each app that runs, and 69 is the exit code when there is none`() throws
    {
        let host = try ControlledHost()
        let status = try host.spinhost("status")
        #expect(status.status == 0 && status.errors.isEmpty)
        let process = host.program.identifier
        #expect(
            status.output.wholeMatch(
                of:
                    /door  pid (\d+)  since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  1 loop, 0 steps, 0 faults  no journal\n/
            )?.1 == "\(process)", "\(status.output)")
        try host.folder.write("second.toml", ControlledHost.door.replacing("\"door\"", with: "\"gate\""))
        let gate = try ControlledHost(
            in: host.folder, ["--json", "--journal", "run.journal", "--manifest", "second.toml"])
        #expect(gate.program.nextLine().contains(#""step":0"#))
        try #require(gate.program.waitForErrors("listening"))
        #expect(try host.spinhost("send", "shut", "--app", "gate", "--wait", "durable").status == 0)
        let both = try host.spinhost("status", "--json").output.split(separator: "\n")
        #expect(both.count == 2)
        #expect(both[0].hasPrefix(#"{"app":"door","pid":\#(process),"since":""#))
        #expect(
            both[1].hasPrefix(#"{"app":"gate","#)
                && both[1].contains(#""steps":1,"faults":0,"journal":{"file":""#))
        #expect(gate.end().status == 0)
        #expect(host.end().status == 0)
        let none = try host.spinhost("status")
        #expect(none.status == 69 && none.output.isEmpty)
        #expect(none.errors.contains("no app listens in") && none.errors.contains("spinhost run --control"))
    }

    @Test func `A socket that a killed host has left is no app`() throws {
        let host = try ControlledHost()
        kill(host.program.identifier, SIGKILL)
        _ = host.program.end()
        #expect(FileManager.default.fileExists(atPath: host.socket))
        #expect(try host.spinhost("status").status == 69)
    }
}
