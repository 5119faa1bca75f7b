import Foundation
import TestSupport
import Testing

/// `spinhost inspect FILE`: a journal for clients of the control socket.
@Suite(.timeLimit(.minutes(10))) struct InspectJournalTests {
    private static let manifest = """
        app.name = "sum"

        [loops.main]
        state     = { sum = 0 }
        events    = { number = { n = "int" } }
        on.number = { set = { sum = "state.sum + event.n" } }

        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "number", n = "int(value.text)" }, ended = [] }

        """

    private let script: InspectorScript

    init() throws {
        script = try InspectorScript()
        try script.folder.write("app.toml", Self.manifest)
    }

    /// Records a step for each number.
    private func record(_ numbers: Int...) throws {
        let run = try InterruptedRun(
            numbers, until: "number(n: \(numbers.last ?? 0))", in: script.folder)
        #expect(run.errors.contains("stopped: "), "\(run)")
    }

    private func inspect() throws -> (program: RunningProgram, client: LineClient, socket: String) {
        let program = try script.start("inspect", "run.journal")
        let line = program.nextLine()
        let socket = try #require(
            line.firstMatch(of: #/^inspector: --socket (\S+) --with-parent$/#)?.1, "\(line)")
        let client = try LineClient(String(socket))
        #expect(client.line()?.contains(#""app":"run.journal""#) == true)
        #expect(client.ask(#"{"request":"hello","version":2}"#)?.contains(#""version":2"#) == true)
        return (program, client, String(socket))
    }

    @Test func `Clients ask a journal as they ask an app`() throws {
        try record(1, 2, 3)
        let (program, client, _) = try inspect()
        let steps = client.ask(#"{"request":"steps","limit":2}"#) ?? ""
        #expect(
            steps.matches(of: #/"changed":\{"sum":\[\d+,\d+\]\}/#).map { String($0.0) } == [
                #""changed":{"sum":[1,3]}"#, #""changed":{"sum":[3,6]}"#,
            ])
        #expect(
            client.ask(#"{"request":"at","loop":"main","step":2}"#)?.contains(#""state":{"sum":3}"#) == true)
        #expect(
            client.ask(#"{"request":"diff","from":{"loop":"main","step":1},"to":{"loop":"main","step":3}}"#)?
                .contains(#""changed":{"sum":[1,6]}"#) == true)
        #expect(
            client.ask(#"{"request":"state"}"#)
                == #"{"ok":true,"states":[{"loop":"main","step":3,"state":{"sum":6}}]}"#)
        #expect(client.ask(#"{"request":"graph"}"#)?.contains(#""id":"main/feedback/read""#) == true)
        #expect(client.ask(#"{"request":"runs"}"#)?.contains(#""feedback":"read","number":1"#) == true)
        #expect(client.ask(#"{"request":"counters"}"#)?.contains(#""steps":3"#) == true)
        #expect(
            client.ask(#"{"request":"export","form":"test","from":1,"to":3}"#)?.contains(
                "expect = { sum = 6 }")
                == true)
        for request in [
            #"{"request":"send","event":"number","payload":{"n":1}}"#, #"{"request":"swap","plugin":"std"}"#,
            #"{"request":"reload"}"#, #"{"request":"why","feedback":"read"}"#,
        ] {
            #expect(client.ask(request)?.contains(#""code":"recorded""#) == true, "\(request)")
        }
        #expect(client.ask(#"{"request":"steps","loop":"mian"}"#)?.contains("did you mean `main`?") == true)
        // No verb takes it for an app.
        #expect(try script.run("status").status == 69)
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
        try blockUntil { script.has("ended") }
    }

    @Test func `A journal grows, and is damaged, while it is shown`() throws {
        try record(1)
        let (program, client, socket) = try inspect()
        #expect(client.ask(#"{"request":"watch","steps":true,"log":true}"#) == #"{"ok":true}"#)
        // A client of version 1 hears of states.
        let old = try LineClient(socket)
        _ = old.line()
        #expect(old.ask(#"{"request":"watch"}"#) == #"{"ok":true}"#)
        #expect(old.line() == #"{"loop":"main","step":1,"state":{"sum":1}}"#)
        try record(2, 3)
        var state = ""
        while state.isEmpty, let line = old.line() { if line.contains(#""step":3"#) { state = line } }
        #expect(state == #"{"loop":"main","step":3,"state":{"sum":6}}"#)
        let pushed = [client.line(), client.line()]
        #expect(pushed.map { $0?.contains(#""event":"number""#) } == [true, true], "\(pushed)")
        // A chunk that does not follow the last one.
        let spoil = """
            CREATE TEMP TABLE copy AS SELECT * FROM chunk ORDER BY number DESC LIMIT 1;
            UPDATE copy SET number = number + 1;
            INSERT INTO chunk SELECT * FROM copy;
            """
        let spoiled = try Shell.run("/usr/bin/sqlite3", [script.folder.url("run.journal").path, spoil])
        #expect(spoiled.status == 0, "\(spoiled)")
        let log = client.line() ?? ""
        #expect(log.contains("the journal cannot be read any further: "), "\(log)")
        #expect(client.ask(#"{"request":"at","loop":"main","step":3}"#)?.contains(#""sum":6"#) == true)
        // The file is cut off.
        let handle = try FileHandle(forWritingTo: script.folder.url("run.journal"))
        try handle.truncate(atOffset: 5000)
        try handle.close()
        let steps = client.ask(#"{"request":"steps"}"#) ?? ""
        #expect(steps.contains(#""code":"journal-failed""#), "\(steps)")
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func `What cannot be shown is an error`() throws {
        let missing = try script.run("inspect", "run.journal")
        #expect(missing.status == 66 && missing.errors.contains("error[J004]"), "\(missing)")
        try record(1)
        for (options, message) in [
            (["run.journal", "--app", "sum"], "contradict"), (["run.journal", "--write"], "contradict"),
            (["--secrets"], "are for a journal"),
        ] {
            let outcome = try Shell.run(
                Project.spinhost, ["inspect"] + options, in: script.folder.root,
                environment: script.environment)
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
        }
    }

    @Test func `An inspector that refuses to start ends the command`() throws {
        for code in [64, 69] {
            let script = try InspectorScript("echo reason >&2; exit \(code)")
            try script.folder.write("app.toml", Self.manifest)
            _ = try InterruptedRun([1], until: "number(n: 1)", in: script.folder)
            let outcome = try script.run("inspect", "run.journal")
            #expect(Int(outcome.status) == code && outcome.errors.contains("reason"), "\(outcome)")
        }
    }
}
