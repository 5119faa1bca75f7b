import Foundation
import TestSupport
import Testing

/// `spinhost state --watch`.
struct ControlWatchTests {
    private static let counter = """
        app.name = "counter"
        [loops.main]
        state  = { n = 0 }
        events = { add = {} }
        until  = "state.n == 3"
        on     = { add = { set = { n = "state.n + 1" } } }

        """

    private static func line(_ n: Int) -> String { #"{"loop":"main","step":\#(n),"state":{"n":\#(n)}}"# }

    @Test func watch_hasALineForEachState_andSaysHowTheAppEnded() throws {
        let host = try ControlledHost(Self.counter)
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == Self.line(0))
        for n in 1...3 {
            #expect(try host.spinhost("send", "add").output == "queued\n")
            #expect(watch.nextLine() == Self.line(n))
        }
        #expect(watch.nextLine() == #"{"ended":"done"}"#)
        let end = watch.end()
        #expect(end.status == 0 && end.errors == "")
        #expect(host.program.end().status == 0)
    }

    @Test func watch_beginsWithTheStateThatIs_ofTheLoopThatIsNamed() throws {
        let host = try ControlledHost(Self.counter + "[loops.other]\nstate = { x = 1 }\nuntil = \"false\"\n")
        let all = try host.start("state", "--watch")
        let loops = Set([all.nextLine(), all.nextLine()])
        #expect(loops == [Self.line(0), #"{"loop":"other","step":0,"state":{"x":1}}"#])
        _ = try host.spinhost("send", "add")
        #expect(all.nextLine() == Self.line(1))
        let one = try host.start("state", "--watch", "--loop", "main")
        #expect(one.nextLine() == Self.line(1))
        _ = try host.spinhost("send", "add")
        #expect(all.nextLine() == Self.line(2))
        #expect(one.nextLine() == Self.line(2))
        let none = try host.spinhost("state", "--watch", "--loop", "mian")
        #expect(none.errors == "error: the app has no loop `mian`\n  = help: did you mean `main`?\n")
        #expect(none.status == 64)
        #expect(host.end().status == 0)
        for watch in [all, one] {
            #expect(watch.nextLine() == #"{"ended":"stopped"}"#)
            #expect(watch.end().status == 0)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func watch_endsInOrder_whenInterrupted_andTheAppContinues(_ signal: Int32) throws {
        let host = try ControlledHost(Self.counter)
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == Self.line(0))
        kill(watch.identifier, signal)
        let end = watch.end()
        #expect(end.status == 0 && end.errors == "")
        #expect(try host.spinhost("state").output == Self.line(0) + "\n")
    }

    @Test func watch_ends_whenItsReaderHasGone() throws {
        let host = try ControlledHost(Self.counter.replacing("== 3", with: "< 0"))
        let watch = try host.start(
            "-c",
            "'\(Project.spinhost)' state --watch | head -n 1; echo ${PIPESTATUS[0]} > made && mv made ended",
            program: "/bin/bash")
        #expect(watch.nextLine() == Self.line(0))
        let ended = host.folder.url("ended")
        // Until a line finds no reader.
        try blockUntil {
            try #require(try host.spinhost("send", "add").status == 0)
            return FileManager.default.fileExists(atPath: ended.path)
        }
        #expect(try String(contentsOf: ended, encoding: .utf8) == "0\n")
    }

    @Test func watch_saysThatTheConnectionWasLost_whenTheHostIsKilled() throws {
        let host = try ControlledHost(Self.counter)
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == Self.line(0))
        _ = host.end(SIGKILL)
        #expect(watch.nextLine() == "")
        let end = watch.end()
        #expect(
            end.errors
                == "error: the connection to `counter` was lost\n  = help: look at the output of its host\n")
        #expect(end.status == 69)
    }

    @Test func anAppWithControl_staysWhenNothingCanHappenByItself() throws {
        let host = try ControlledHost(Self.counter)
        for _ in 0..<3 { #expect(try host.spinhost("send", "add").status == 0) }
        #expect(host.program.nextLine().hasPrefix("done: 3 steps"))
        #expect(host.program.end().status == 0)
        #expect(!FileManager.default.fileExists(atPath: host.folder.url("spinhost/counter.sock").path))
    }
}
