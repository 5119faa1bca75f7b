import Foundation
import TestSupport
import Testing

/// Clients of the control socket of `spinhost dev`, whose manifest changes.
@Suite(.timeLimit(.minutes(10))) struct ControlSuccessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func manifest(
        add: String = "state.n + 1", state: String = "n = 0", name: String = "count", more: String = ""
    ) -> String {
        """
        app.name = "\(name)"
        [loops.main]
        state  = { \(state) }
        events = { add = {}, end = {} }
        until  = "state.n < 0"
        on.add = { set = { n = "\(add)" } }
        on.end = { set = { n = "-1" } }
        \(more)

        """
    }

    private static let other = """
        [loops.other]
        state  = { k = 7 }
        events = { look = {} }
        on.look = {}
        """

    private static let swapped = #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#

    private var environment: [String: String] {
        ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"]
    }

    /// The app under `dev`, once its socket is served; its lines are those of stderr.
    private func start(_ manifest: String) throws -> RunningProgram {
        try folder.write("app.toml", manifest)
        let program = try RunningProgram(
            ["-c", "exec '\(Project.spinhost)' dev --once 2>&1 >/dev/null"], in: folder.root,
            environment: environment, program: "/bin/bash")
        #expect(program.nextLine().hasPrefix("listening at `"))
        return program
    }

    private func connect() throws -> LineClient {
        let client = try LineClient(folder.url("spinhost/count.sock").path)
        #expect(client.line()?.hasPrefix(#"{"spinhost":1,"app":"count","#) == true)
        return client
    }

    private static func line(_ step: Int, _ state: String, loop: String = "main") -> String {
        #"{"loop":"\#(loop)","step":\#(step),"state":{\#(state)}}"#
    }

    @Test func connectionsStay_andWatchesContinueWithTheNextStep() throws {
        let program = try start(Self.manifest(more: Self.other))
        let (client, all) = (try connect(), try connect())
        #expect(client.ask(#"{"request":"watch","loop":"main"}"#) == #"{"ok":true}"#)
        #expect(client.line() == Self.line(0, #""n":0"#))
        #expect(all.ask(#"{"request":"watch","swaps":true}"#) == #"{"ok":true}"#)
        // Each loop tells its own state, on its own thread.
        #expect(
            Set([all.line(), all.line()]) == [
                Self.line(0, #""n":0"#), Self.line(0, #""k":7"#, loop: "other"),
            ])
        let queued = #"{"ok":true,"loop":"main","result":"queued"}"#
        #expect(client.ask(#"{"request":"send","event":"add"}"#) == queued)
        #expect(client.line() == Self.line(1, #""n":1"#))
        #expect(all.line() == Self.line(1, #""n":1"#))
        // A fault is told to those who want to know of swaps.
        try folder.write("app.toml", "\(Self.manifest())x = ")
        #expect(
            all.line()?.hasPrefix(#"{"swap":{"manifest":"app.toml","outcome":"refused","reasons":["#) == true)
        try folder.write(
            "app.toml",
            Self.manifest(
                add: "state.n + 10", state: "m = 5, n = 0", more: "[loops.third]\nstate = { t = 1 }"))
        #expect(client.line() == Self.swapped)
        #expect(all.line() == Self.swapped)
        #expect(
            all.line()
                == #"{"loop":"other","error":{"code":"unknown-loop","message":"the changed manifest has no loop `other`","help":["its loops: `main`, `third`"]}}"#
        )
        #expect(all.line() == Self.line(0, #""t":1"#, loop: "third"))
        #expect(client.ask(#"{"request":"send","event":"add"}"#) == queued)
        #expect(client.line() == Self.line(2, #""m":5,"n":11"#))
        #expect(all.line() == Self.line(2, #""m":5,"n":11"#))
        #expect(
            client.ask(#"{"request":"state","loop":"third"}"#)
                == #"{"ok":true,"states":[{"loop":"third","step":0,"state":{"t":1}}]}"#)
        #expect(
            client.ask(#"{"request":"swap","plugin":"lock"}"#)?.contains("the manifest has no plugin `lock`")
                == true)
        #expect(client.ask(#"{"request":"send","event":"end"}"#) == queued)
        #expect(client.line() == Self.line(3, #""m":5,"n":-1"#))
        #expect(client.line() == #"{"ended":"done"}"#)
        #expect(client.line() == nil)
        #expect(program.end().status == 0)
    }

    @Test func aNamedLoopThatIsGone_endsItsWatch() throws {
        let program = try start(Self.manifest(more: Self.other))
        let watch = try RunningProgram(
            ["state", "--watch", "--loop", "other"], in: folder.root, environment: environment)
        #expect(watch.nextLine() == Self.line(0, #""k":7"#, loop: "other"))
        try folder.write("app.toml", Self.manifest())
        #expect(watch.nextLine() == Self.swapped)
        #expect(watch.nextLine() == "")
        let end = watch.end()
        #expect(end.status == 64)
        #expect(
            end.errors == "error: the changed manifest has no loop `other`\n  = help: its loops: `main`\n")
        #expect(try connect().ask(#"{"request":"send","event":"end"}"#)?.contains("queued") == true)
        #expect(program.end().status == 0)
    }

    @Test func anAppOfAnotherName_isReachedByThat() throws {
        let program = try start(Self.manifest())
        let client = try connect()
        #expect(client.ask(#"{"request":"watch"}"#) == #"{"ok":true}"#)
        #expect(client.line() == Self.line(0, #""n":0"#))
        try folder.write("app.toml", Self.manifest(name: "tally"))
        #expect(client.line() == #"{"ended":"followed"}"#)
        #expect(client.line() == nil)
        #expect(program.nextLine() == "the manifest has changed: the app continues with it")
        var next: LineClient?
        while next == nil { next = try? LineClient(folder.url("spinhost/tally.sock").path) }
        #expect(next?.line()?.hasPrefix(#"{"spinhost":1,"app":"tally","#) == true)
        #expect(next?.ask(#"{"request":"send","event":"end"}"#)?.contains("queued") == true)
        #expect(program.end().status == 0)
    }

    /// Each event counts once, whichever app took it, and each state is told once and in order.
    @Test func whatIsAskedWhileTheManifestChanges_isAnswered() throws {
        let program = try start(Self.manifest())
        let (sender, asker, watcher) = (try connect(), try connect(), try connect())
        #expect(watcher.ask(#"{"request":"watch","loop":"main"}"#) == #"{"ok":true}"#)
        #expect(watcher.line() == Self.line(0, #""n":0"#))
        var (sent, steps, written, changed) = (0, [0], 0, 0)
        while changed < 5 {
            if written == changed {
                written += 1
                try folder.write("app.toml", Self.manifest(state: "m = \(written), n = 0"))
            }
            sent += 1
            #expect(
                sender.ask(#"{"request":"send","event":"add"}"#)
                    == #"{"ok":true,"loop":"main","result":"queued"}"#)
            #expect(asker.ask(#"{"request":"state"}"#)?.hasPrefix(#"{"ok":true,"states":[{"#) == true)
            #expect(asker.ask(#"{"request":"swap","plugin":"none"}"#)?.hasPrefix(#"{"ok":true,"#) == true)
            // The watcher has a line for each state.
            while steps.last != sent {
                let line = try #require(watcher.line())
                guard line != Self.swapped else {
                    changed += 1
                    continue
                }
                let match = try #require(
                    line.firstMatch(of: #/"step":(\d+),"state":\{(?:"m":\d+,)?"n":(\d+)\}/#), "\(line)")
                #expect(match.1 == match.2)
                steps.append(try #require(Int(match.1)))
            }
        }
        #expect(steps == Array(0...sent))
        #expect(sender.ask(#"{"request":"send","event":"end"}"#)?.contains("queued") == true)
        #expect(program.end().status == 0)
    }
}
