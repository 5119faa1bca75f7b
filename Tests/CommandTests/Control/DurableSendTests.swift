import Foundation
import TestSupport
import Testing

/// `send --wait durable`, with a host that listens.
@Suite(.timeLimit(.minutes(10))) struct DurableSendTests {
    private func client(of host: ControlledHost) throws -> LineClient {
        let client = try LineClient(host.socket)
        _ = client.line()
        return client
    }

    private func host(_ arguments: String..., manifest: String = ControlledHost.door) throws -> ControlledHost
    {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        let host = try ControlledHost(in: folder, ["--json"] + arguments)
        try #require(host.program.nextLine() != "")
        #expect(host.program.waitForErrors("listening at"))
        return host
    }

    @Test(arguments: ["off", "batched", "every-step"])
    func `the answer comes when the entry is in the file, also for an event that changes nothing`(
        _ mode: String
    ) throws {
        let manifest = ControlledHost.door.replacing(
            "shut   = {", with: "shut   = { if = \"state.open\",")
        let host = try host("--journal", "run.journal", "--durable", mode, manifest: manifest)
        let client = try client(of: host)
        let shut = #"{"request":"send","event":"shut","wait":"durable"}"#
        #expect(client.ask(shut) == #"{"ok":true,"loop":"door","result":"durable","position":3}"#)
        let pushed = #"{"request":"send","event":"pushed","payload":{"by":"Ada","times":2},"wait":"durable"}"#
        #expect(client.ask(pushed) == #"{"ok":true,"loop":"door","result":"durable","position":4}"#)
        let sent = try host.spinhost("send", "pushed", "by=Bob", "times=5", "--wait", "durable")
        #expect(sent.output == "durable @5\n" && sent.errors == "" && sent.status == 0)
        let json = try host.spinhost("send", "shut", "--wait", "durable", "--json")
        #expect(json.output == #"{"ok":true,"loop":"door","result":"durable","position":6}"# + "\n")
        // Nothing of it is lost when the process is killed at once.
        _ = host.end(SIGKILL)
        let shown = try host.spinhost("journal", "show", "run.journal", "--from", "3").output
        let lines = shown.split(separator: "\n").map {
            $0.replacing(#/\d\d:\d\d:\d\d\.\d\d\d/#, with: "TIME")
        }
        #expect(
            lines == [
                "3  TIME  door  –  shut  not handled  ← external",
                #"4  TIME  door  #1  pushed(by: "Ada", times: 2)  open false → true, times 0 → 2  ← external"#,
                #"5  TIME  door  #2  pushed(by: "Bob", times: 5)  times 2 → 7  ← external"#,
                "6  TIME  door  #3  shut  open true → false  ← external",
            ])
    }

    @Test func `each of many clients hears the position of its own event`() throws {
        let host = try host("--journal", "run.journal")
        let clients = try (0..<20).map { _ in try client(of: host) }
        for (number, client) in clients.enumerated() {
            client.say(
                #"{"request":"send","event":"pushed","payload":{"by":"\#(number)","times":1},"wait":"durable"}"#
            )
        }
        let positions = try clients.map { client in
            let answer = try #require(client.line())
            return try #require(answer.firstMatch(of: #/"result":"durable","position":(\d+)\}$/#)).1
        }
        #expect(Set(positions) == Set((3..<23).map { "\($0)"[...] }))
        let shown = try host.spinhost("journal", "show", "run.journal", "--json", "--event", "pushed").output
        for (number, position) in positions.enumerated() {
            let line = shown.split(separator: "\n").first { $0.contains(#""position":\#(position),"#) }
            #expect(line?.contains(#""by":"\#(number)""#) == true)
        }
        #expect(host.end().status == 0)
    }

    @Test func `without a journal, the request is refused and the event is not sent`() throws {
        let host = try host()
        let sent = try host.spinhost("send", "shut", "--wait", "durable")
        #expect(
            sent.errors == """
                error: the app keeps no journal, so an event cannot be durable
                  = help: start it with `--journal FILE`, or send without waiting

                """)
        #expect(sent.output == "" && sent.status == 69)
        let client = try client(of: host)
        #expect(
            client.ask(#"{"request":"send","event":"shut","wait":"disk"}"#)
                == #"{"ok":false,"error":{"code":"wrong-type","message":"`wait` can only be `durable`, found `disk`","help":["without `wait`, the answer comes when the event is queued"]}}"#
        )
        #expect(
            client.ask(#"{"request":"send","event":"shot","wait":"durable"}"#)?.contains("unknown-event")
                == true)
        #expect(try host.spinhost("state").output.contains(#""step":0"#))
        let wrong = try host.spinhost("send", "shut", "--wait", "disk")
        #expect(wrong.errors.contains("`disk` is not `durable`") && wrong.status == 64)
        // A loop that the journal leaves out.
        let other = try self.host(
            "--journal", "run.journal",
            manifest: ControlledHost.door.replacing("[loops.door]", with: "[loops.door]\njournal = false"))
        let refused = try other.spinhost("send", "shut", "--wait", "durable")
        #expect(
            refused.errors == """
                error: loop `door` is not in the journal, as it has `journal = false`
                  = help: send without waiting

                """)
        #expect(refused.status == 69)
    }

    @Test func `an event that the loop has not taken when it stops is not durable`() throws {
        let host = try host(
            "--journal", "run.journal",
            manifest: """
                app.name = "door"
                [plugins.libc]
                library  = "libc.so.6"
                declares = "int getchar(void);"
                [loops.door]
                state  = { n = 0 }
                events = { add = {}, got = { byte = "int" } }
                until  = "state.n > 0"
                on.add = { set = { n = "state.n + 1" } }
                on.got = { set = { n = "state.n + event.byte" } }
                [loops.door.feedback.wait]
                effect = "libc:getchar"
                emit   = { event = "got", byte = "result" }
                """)
        // `add` waits while the loop is held; the first event then ends the loop.
        let (first, second) = (try client(of: host), try client(of: host))
        first.say(#"{"request":"send","event":"add","wait":"durable"}"#)
        #expect(second.ask(#"{"request":"counters"}"#)?.contains(#""ok":true"#) == true)
        second.say(#"{"request":"send","event":"add","wait":"durable"}"#)
        try host.program.write("A")
        #expect(first.line()?.contains(#""result":"durable","position":"#) == true)
        #expect(second.line() == #"{"ok":true,"loop":"door","result":"stopped"}"#)
        #expect(host.program.end().status == 0)
    }

    @Test(arguments: ["stop", "continue"])
    func `a journal that cannot be written any more answers with an error`(_ full: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            app.name    = "door"
            app.journal = { file = "run.journal", full = "\(full)" }
            [loops.door]
            state    = { text = "" }
            events   = { said = { text = "string" } }
            on.said  = { set = { text = "event.text" } }

            """)
        // No file of the host may become longer than 400 KiB.
        let program = try RunningProgram(
            ["-c", "trap '' XFSZ; ulimit -f 400; exec '\(Project.spinhost)' run --control"],
            in: folder.root, environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"],
            program: "/bin/bash")
        try #require(program.waitForErrors("listening at"))
        let client = try LineClient(folder.url("spinhost/door.sock").path)
        _ = client.line()
        let request =
            #"{"request":"send","event":"said","payload":{"text":"\#(String(repeating: "x", count: 1 << 15))"},"wait":"durable"}"#
        var answers: [String] = []
        repeat {
            answers.append(client.ask(request) ?? "")
        } while answers.last?.contains(#""result":"durable""#) == true
        #expect(
            answers.last?.hasPrefix(
                #"{"ok":false,"error":{"code":"journal-failed","message":"the journal cannot be written any more: "#
            )
                == true, "\(answers.last ?? "")")
        if full == "continue" {
            #expect(client.ask(request)?.contains("journal-failed") == true)
            #expect(
                client.ask(#"{"request":"send","event":"said","payload":{"text":""}}"#)?.contains("queued")
                    == true)
            let sent = try Shell.run(
                Project.spinhost, ["send", "said", "text=a", "--wait", "durable"],
                environment: ["XDG_RUNTIME_DIR": folder.root.path])
            #expect(sent.status == 74)
            kill(program.identifier, SIGTERM)
        }
        let end = program.end()
        #expect(end.status == (full == "stop" ? 74 : 0), "\(end.errors)")
        #expect(end.errors.contains("[J020]"))
    }
}
