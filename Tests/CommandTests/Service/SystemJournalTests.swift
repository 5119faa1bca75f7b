import ArgumentParser
import Diagnostics
import Foundation
import Glibc
import Manifest
import PluginHost
import TestSupport
import Testing

@testable import spinhost

/// What the host logs to the system's journal, on a socket of the test.
@Suite(.timeLimit(.minutes(10))) struct SystemJournalTests {
    private let folder: TemporaryFolder
    private let receiver: DatagramReceiver

    init() throws {
        folder = try TemporaryFolder()
        receiver = try DatagramReceiver(folder.url("socket").path)
    }

    private func outlet(_ options: String...) throws -> LogOutlet {
        LogOutlet(
            .standard, options: try RunOptions.parse(options), journal: SystemJournal(socket: receiver.name))
    }

    private func line(_ text: String, level: Int32 = 1) -> PluginLogLine {
        PluginLogLine(plugin: "talker", version: "1.2", call: nil, level: level, text: text)
    }

    @Test(arguments: [(-2, 7), (-1, 7), (0, 6), (1, 4), (2, 3)])
    func `a line of a plugin is an entry with its level as priority`(_ level: Int32, _ priority: Int) throws {
        try outlet("--log-format", "journal", "--log-level", "trace").log(line("four", level: level))
        #expect(
            try receiver.next().text == """
                MESSAGE=four
                PRIORITY=\(priority)
                SYSLOG_IDENTIFIER=spinhost
                PLUGIN=talker
                PLUGIN_VERSION=1.2

                """)
    }

    @Test func `a value with a line end has its length before it`() throws {
        try outlet("--log-format", "journal").log(line("one\ntwo"))
        let bytes = try receiver.next().bytes
        let message =
            Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0] + Array("one\ntwo\nPRIORITY=4\n".utf8)
        #expect(Array(bytes.prefix(message.count)) == message)
    }

    @Test func `an entry that is too long for a datagram is a sealed file`() throws {
        let text = String(repeating: "long ", count: 1 << 18)
        try outlet("--log-format", "journal").log(line(text))
        let datagram = try receiver.next()
        #expect(datagram.bytes == [])
        #expect(
            datagram.file.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("MESSAGE=long long ") == true
        )
        #expect(datagram.file?.count ?? 0 > text.utf8.count)
        // F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_WRITE.
        #expect(datagram.seals & 0xF == 0xF)
    }

    @Test func `the log goes elsewhere unless the error output leads to the journal`() throws {
        let outlet = try outlet()
        #expect(!outlet.write([Diagnostic(.error, DiagnosticCode("R100"), "no")], nil))
        #expect(receiver.waiting() == [])
    }

    @Test func `a journal that does not answer takes no entry`() throws {
        let outlet = LogOutlet(
            .standard, options: try RunOptions.parse(["--log-format", "journal"]),
            journal: SystemJournal(socket: folder.url("nothing").path))
        #expect(!outlet.write([Diagnostic(.error, DiagnosticCode("R100"), "no")], nil))
    }

    /// Whether this user can put another folder at `/run/systemd/journal`, for one process.
    private static let canMount =
        (try? Shell.run("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/run"]).status) == 0

    @Test(.enabled(if: canMount))
    func `under systemd faults and log lines are entries with their place in the app`() throws {
        try folder.write(
            "app.toml",
            """
            app = { name = "fails", on-fault = "stop" }
            [plugins.libc]
            library  = "libc.so.6"
            declares = "long atol(const char *text);"
            [loops.main]
            state  = { n = 0 }
            events = { got = { n = "int" } }
            on     = { got = { set = { n = "event.n" } } }
            [loops.main.feedback.ask]
            effect   = "libc:atol"
            args     = ["'7'"]
            fails-if = "result == 7"
            emit     = { event = "got", n = "result" }
            """)
        try folder.write("errors", "")
        let outcome = try Shell.run(
            "unshare",
            [
                "-m", "bash", "-c",
                """
                mount -t tmpfs none /run && mkdir -p /run/systemd/journal && ln -s "$1" /run/systemd/journal/socket || exit 99
                export JOURNAL_STREAM=$(stat -c %d:%i errors)
                exec "$2" run --quiet --journal run.journal 2>errors
                """, "bash", receiver.name, Project.spinhost,
            ], in: folder.root)
        #expect(outcome.status == 1)
        let bytes = try receiver.next().bytes
        let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
        #expect(text.contains("error[R"))
        for field in ["PRIORITY=3", "SYSLOG_IDENTIFIER=spinhost", "LOOP=main", "FEEDBACK=ask", "STEP=0"] {
            #expect(text.contains("\n\(field)\n"), "\(text)")
        }
        #expect(text.contains(#/\nCODE=R\d+\n/#) && text.contains(#/\nPOSITION=\d+\n/#))
        #expect(try String(contentsOf: folder.url("errors"), encoding: .utf8) == "")
    }
}
