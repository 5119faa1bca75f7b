import Foundation
import TestSupport
import Testing

/// `spinhost send` and `spinhost state`, with a host that listens.
struct ControlCommandTests {
    @Test func send_queuesAnEvent_andStateShowsWhatCameOfIt() throws {
        let host = try ControlledHost(printing: ControlledHost.door)
        #expect(host.program.nextLine().contains(#""step":0"#))
        let before = try host.spinhost("state")
        #expect(before.output == #"{"loop":"door","step":0,"state":{"open":false,"times":0}}"# + "\n")
        let sent = try host.spinhost("send", "pushed", "by=Ada", "times=3")
        #expect(sent.output == "queued\n" && sent.errors == "" && sent.status == 0)
        #expect(
            host.program.nextLine()
                == #"{"loop":"door","step":1,"event":"pushed","payload":{"by":"Ada","times":3},"state":{"open":true,"times":3},"origin":"external"}"#
        )
        let json = try host.spinhost("send", "shut", "--loop", "door", "--app", "door", "--json")
        #expect(json.output == #"{"ok":true,"loop":"door","result":"queued"}"# + "\n")
        #expect(host.program.nextLine().contains(#""event":"shut","payload":{}"#))
        let after = try host.spinhost("state", "--loop", "door", "--app", "door")
        #expect(after.output == #"{"loop":"door","step":2,"state":{"open":false,"times":3}}"# + "\n")
        #expect(after.status == 0)
        let end = host.end()
        #expect(end.status == 0 && end.errors.contains("\nstopped: 2 steps, 2 events, "))
    }

    @Test func fields_areJSONToo() throws {
        let host = try ControlledHost(printing: ControlledHost.door)
        _ = host.program.nextLine()
        let sent = try host.spinhost("send", "pushed", #"{"times": 2, "by": "a=b"}"#)
        #expect(sent.output == "queued\n")
        #expect(host.program.nextLine().contains(#""payload":{"by":"a=b","times":2}"#))
        _ = try host.spinhost("send", "pushed", "times=-4", "by={x=1}")
        #expect(host.program.nextLine().contains(#""payload":{"by":"{x=1}","times":-4}"#))
    }

    @Test(arguments: [
        (["pushe", "by=Ada", "times=1"], "loop `door` has no event `pushe`", "did you mean `pushed`?"),
        (["xyz"], "loop `door` has no event `xyz`", "its events: `pushed`, `shut`"),
        (["shut", "--loop", "dor"], "the app has no loop `dor`", "did you mean `door`?"),
        (
            ["pushed", "by=Ada", "tmes=1"],
            "the fields of `pushed` are not right: there is no field `\"tmes\"`", "did you mean `times`?"
        ),
        (
            ["pushed", "by=Ada", "times=x"],
            "the fields of `pushed` are not right: `times`: `x` is not a value of type `i64`",
            ""
        ),
        (["pushed", "by=Ada"], "the fields of `pushed` are not right: field `times` is missing", ""),
        (
            ["pushed", #"{"by": 5, "times": 1}"#],
            "the fields of `pushed` are not right: `by`: int does not convert to `string`", ""
        ),
    ])
    func eventThatDoesNotFitTheManifest_isRefused_andTheAppContinues(
        _ arguments: [String], _ message: String, _ help: String
    ) throws {
        let host = try ControlledHost()
        let outcome = try Shell.run(
            Project.spinhost, ["send"] + arguments, environment: ["XDG_RUNTIME_DIR": host.folder.root.path])
        #expect(
            outcome.errors == "error: \(message)\n" + (help.isEmpty ? "" : "  = help: \(help)\n"))
        #expect(outcome.output == "" && outcome.status == 64)
        #expect(try host.spinhost("state").output.contains(#""step":0"#))
    }

    @Test(arguments: [
        (["pushed", "Ada"], "`Ada` is neither FIELD=VALUE nor a JSON object"),
        (["pushed", "{"], "the JSON wants"), (["pushed", "by=a", "by=b"], "field `by` is given twice"),
    ])
    func aWrongCommandLine_isRefused_withoutAnApp(_ arguments: [String], _ message: String) throws {
        let outcome = try Shell.run(Project.spinhost, ["send"] + arguments)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.status == 64)
    }

    @Test func anEventOfSeveralLoops_needsTheLoop() throws {
        let host = try ControlledHost(
            """
            app.name = "two"
            [loops.left]
            state  = { n = 0 }
            events = { add = {}, left = {} }
            on     = { add = { set = { n = "state.n + 1" } } }
            [loops.right]
            state  = { n = 0 }
            events = { add = {} }
            on     = { add = { set = { n = "state.n + 1" } } }
            """)
        let both = try host.spinhost("send", "add")
        #expect(both.errors == "error: `add` is an event of `left`, `right`\n  = help: name the loop\n")
        #expect(both.status == 64)
        #expect(try host.spinhost("send", "left").output == "queued\n")
        let none = try host.spinhost("send", "lft")
        #expect(none.errors == "error: no loop has an event `lft`\n  = help: did you mean `left`?\n")
        #expect(
            try host.spinhost("state").output == """
                {"loop":"left","step":0,"state":{"n":0}}
                {"loop":"right","step":0,"state":{"n":0}}

                """)
    }

    @Test func aLoopThatStopped_takesNothing() throws {
        let host = try ControlledHost(
            printing: """
                app.name = "ends"
                [loops.first]
                state  = { n = 0 }
                events = { add = {} }
                until  = "state.n == 1"
                on     = { add = { set = { n = "state.n + 1" } } }
                [loops.second]
                until  = "false"
                """)
        try #require(host.program.nextLine(with: #""loop":"first","step":0"#) != "")
        #expect(try host.spinhost("send", "add").output == "queued\n")
        try #require(host.program.nextLine(with: #""step":1"#) != "")
        var answer = try host.spinhost("send", "add")
        // The loop stops behind the step that it told of.
        try blockUntil {
            answer = try host.spinhost("send", "add")
            return answer.output != "queued\n"
        }
        #expect(answer.output == "stopped\n" && answer.status == 1)
    }

    @Test func loopHeldByAnEffect_acceptsEvents_andAFullMailboxRejects() throws {
        let host = try ControlledHost(
            """
            app.name    = "held"
            app.mailbox = { capacity = 2 }
            [plugins.libc]
            library  = "libc.so.6"
            declares = "int getchar(void);"
            [loops.main]
            state  = { n = 0 }
            events = { add = {}, got = { byte = "int" } }
            [loops.main.on]
            add = { set = { n = "state.n + 1" } }
            got = { set = { n = "state.n + event.byte" } }
            [loops.main.feedback.wait]
            effect = "libc:getchar"
            emit   = { event = "got", byte = "result" }
            """)
        for _ in 0..<2 { #expect(try host.spinhost("send", "add").output == "queued\n") }
        let third = try host.spinhost("send", "add")
        #expect(third.output == "rejected\n" && third.errors == "" && third.status == 1)
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == #"{"loop":"main","step":0,"state":{"n":0}}"#)
        try host.program.write("A")
        #expect(watch.nextLine(with: #""step":3,"#) == #"{"loop":"main","step":3,"state":{"n":67}}"#)
    }

    @Test func anEventWithAnAddress_isRefused() throws {
        let host = try ControlledHost(
            """
            app.name = "addresses"
            [loops.main]
            state  = { p = { type = "pointer" } }
            events = { at = { p = "pointer" } }
            on     = { at = { set = { p = "event.p" } } }
            """)
        let outcome = try host.spinhost("send", "at", "p=0x10")
        #expect(
            outcome.errors
                == "error: an address cannot come from outside: the pointers of `at` can only be null\n")
        #expect(outcome.status == 64)
        #expect(try host.spinhost("send", "at", "p=null").output == "queued\n")
    }

    @Test func secrets_areInNoAnswer() throws {
        let host = try ControlledHost(
            """
            app.name = "vault"
            config   = { word = { env = "VAULT_WORD" } }
            [loops.main]
            state  = { word = "" }
            events = { open = { word = "string" } }
            on     = { open = { if = "event.word == config.word", set = { word = "config.word" } } }
            """, environment: ["VAULT_WORD": "sesame"])
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == #"{"loop":"main","step":0,"state":{"word":""}}"#)
        #expect(try host.spinhost("send", "open", "word=sesame").output == "queued\n")
        let line = #"{"loop":"main","step":1,"state":{"word":"<secret>"}}"#
        #expect(watch.nextLine() == line)
        #expect(try host.spinhost("state").output == line + "\n")
        let wrong = try host.spinhost("send", "open", "sesame=1")
        #expect(wrong.errors.contains("no field `\"<secret>\"`"), "\(wrong.errors)")
    }

    @Test func withoutAnApp_clientsSayWhatToDo() throws {
        let folder = try TemporaryFolder()
        for arguments in [["send", "pushed"], ["state"], ["state", "--watch"]] {
            let outcome = try Shell.run(
                Project.spinhost, arguments, environment: ["XDG_RUNTIME_DIR": folder.root.path])
            #expect(
                outcome.errors == """
                    error: no app listens in `\(folder.root.path)/spinhost`
                      = help: start it with `spinhost run --control`

                    """)
            #expect(outcome.output == "" && outcome.status == 69)
        }
        let named = try Spinhost.run(
            "state", "--app", "door", "--json", environment: ["XDG_RUNTIME_DIR": folder.root.path])
        #expect(
            named.output
                == #"{"ok":false,"error":{"code":"unavailable","message":"no app listens at `\#(folder.root.path)/spinhost/door.sock`","help":["start it with `spinhost run --control`"]}}"#
                + "\n")
        #expect(named.status == 69)
        let path = try Spinhost.run("state", "--app", "../door")
        #expect(path.errors == "error: `../door` cannot be the name of an app\n" && path.status == 69)
    }

    @Test func severalApps_areNamed() throws {
        let first = try ControlledHost()
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door.replacing("\"door\"", with: "\"gate\""))
        let second = try ControlledHost(
            in: folder, environment: ["XDG_RUNTIME_DIR": first.folder.root.path])
        #expect(second.program.waitForErrors("listening"))
        let outcome = try first.spinhost("state")
        #expect(
            outcome.errors == "error: several apps listen: `door`, `gate`\n  = help: name one with `--app`\n")
        #expect(outcome.status == 69)
        #expect(try first.spinhost("state", "--app", "gate").status == 0)
        // One that is gone does not count.
        kill(second.program.identifier, SIGKILL)
        _ = second.program.end()
        #expect(try first.spinhost("state").status == 0)
    }
}
