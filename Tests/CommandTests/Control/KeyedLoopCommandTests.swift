import Foundation
import TestSupport
import Testing

/// Loops with a key, as a user sees them.
@Suite(.timeLimit(.minutes(10))) struct KeyedLoopCommandTests {
    private static let orders = """
        app.name = "door"
        [loops.order]
        key     = "string"
        limit   = 3
        creates = "added"
        state   = { items = 0, paid = false }
        events  = { added = { n = "int" }, paid = {}, split = { by = "int" } }
        until   = "state.paid"
        [loops.order.on]
        added = { set = { items = "state.items + event.n" } }
        paid  = { set = { paid = true } }
        split = { set = { items = "state.items / event.by" } }
        [loops.visit]
        key    = "int"
        events = { came = {} }
        on     = { came = {} }
        [loops.plain]
        state = { n = 0 }

        """

    @Test func verbsReachInstances() throws {
        let host = try ControlledHost(Self.orders)
        func send(_ words: String...) throws -> [String] {
            let outcome = try Shell.run(
                Project.spinhost, ["send"] + words, in: host.folder.root,
                environment: ["XDG_RUNTIME_DIR": host.folder.root.path, "NO_COLOR": "1"])
            return [outcome.output + outcome.errors, "\(outcome.status)"]
        }
        #expect(try send("added", "n=2", "--loop", "order", "--key", "A 17") == ["queued\n", "0"])
        #expect(
            try send("added", "n=1", "--loop", "order", "--key", "B4", "--json").first
                == #"{"ok":true,"loop":"order","key":"B4","result":"queued"}"# + "\n")
        #expect(try send("paid", "--loop", "order", "--key", "C") == ["absent\n", "1"])
        #expect(try send("added", "n=1", "--loop", "order", "--key", "") == ["queued\n", "0"])
        #expect(try send("added", "n=1", "--loop", "order", "--key", "D") == ["limit\n", "1"])
        #expect(try send("came", "--loop", "visit", "--key", "-7") == ["queued\n", "0"])
        #expect(
            try send("came", "--loop", "visit", "--key", "x") == [
                """
                error: "x" is not a key of type `int`
                  = help: loop `visit` has keys of this type

                """, "64",
            ])
        #expect(
            try send("came") == [
                """
                error: loop `visit` has an instance for each key
                  = help: say which instance gets the event: the key is of type `int`

                """, "64",
            ])
        #expect(try send("came", "--key", "1")[1] == "64")
        let listed = try host.spinhost("state", "--loop", "order", "--limit", "2").output
        #expect(
            listed == """
                {"loop":"order","key":"A 17","state":{"key":"A 17","items":2,"paid":false}}
                {"loop":"order","key":"B4","state":{"key":"B4","items":1,"paid":false}}
                {"next":2}

                """)
        #expect(
            try host.spinhost("state", "--loop", "order", "--after", "2").output
                == #"{"loop":"order","key":"","state":{"key":"","items":1,"paid":false}}"# + "\n")
        #expect(
            try host.spinhost("state").output == """
                {"loop":"order","step":3,"state":{"instances":3}}
                {"loop":"visit","step":1,"state":{"instances":1}}
                {"loop":"plain","step":0,"state":{"n":0}}

                """)
        #expect(
            try host.spinhost("state", "--loop", "visit", "--key", "-7").output
                == #"{"loop":"visit","key":-7,"state":{"key":-7}}"# + "\n")
        let missing = try host.spinhost("state", "--loop", "order", "--key", "nobody")
        #expect(missing.status == 64 && missing.errors.contains("loop `order` has no instance `nobody`"))
        let plain = try host.spinhost("state", "--loop", "plain", "--key", "1")
        #expect(plain.status == 64 && plain.errors.contains("loop `plain` has no key"))
        #expect(try host.spinhost("state", "--loop", "plain", "--after", "1").status == 64)
        #expect(
            try host.spinhost("state", "--counters", "--loop", "order").output
                == "order: 3 steps, 3 events, 0 drops, 0 faults, 3 instances (1 events over the limit, 1 events without instance)\n"
        )
        for words in [["--limit", "0"], ["--after", "1"], ["--key", "a"], ["--key", "a", "--counters"]] {
            #expect(
                try Shell.run(
                    Project.spinhost, ["state"] + words, in: host.folder.root,
                    environment: ["XDG_RUNTIME_DIR": host.folder.root.path]
                ).status == 64)
        }
        let counters = try host.spinhost("state", "--counters", "--json", "--loop", "order").output
        #expect(
            counters.contains(
                #""instances":3,"awake":0,"busy":0,"kept":0,"made":3,"ended":0,"refusedByLimit":1,"refusedAsAbsent":1}"#
            ),
            "\(counters)")
    }

    @Test func watch_showsTheStatesOfAllInstances_orOfOne() throws {
        let host = try ControlledHost(Self.orders)
        let (all, one) = (try LineClient(host.socket), try LineClient(host.socket))
        for client in [all, one] { _ = client.line() }
        all.say(#"{"request":"watch","loop":"order"}"#)
        one.say(#"{"request":"watch","loop":"order","key":"B"}"#)
        for client in [all, one] { #expect(client.line() == #"{"ok":true}"#) }
        one.say(#"{"request":"watch","loop":"plain","key":"B"}"#)
        #expect(one.line()?.contains(#""code":"key-not-taken""#) == true)
        for (key, number) in [("A", 1), ("B", 2), ("A", 3), ("B", 4)] {
            _ = try host.spinhost("send", "added", "n=\(number)", "--loop", "order", "--key", key)
        }
        func state(_ key: String, _ items: Int) -> String {
            #"{"loop":"order","key":"\#(key)","state":{"key":"\#(key)","items":\#(items),"paid":false}}"#
        }
        #expect(
            (1...4).map { _ in all.line() } == [state("A", 1), state("B", 2), state("A", 4), state("B", 6)])
        #expect((1...2).map { _ in one.line() } == [state("B", 2), state("B", 6)])
        for (request, code) in [
            (#"{"request":"state","key":"A"}"#, "missing-key"),
            (#"{"request":"state","loop":"order","limit":0}"#, "wrong-type"),
            (#"{"request":"state","loop":"order","key":7}"#, "invalid-key"),
            (#"{"request":"state","loop":"order","key":"x"}"#, "no-instance"),
            (#"{"request":"send","loop":"order","event":"paid"}"#, "key-needed"),
            (#"{"request":"send","loop":"order","key":"A","event":"paid","wait":"durable"}"#, "no-journal"),
        ] {
            all.say(request)
            #expect(all.line()?.contains("\"code\":\"\(code)\"") == true, "\(request)")
        }
    }

    /// A message to a loop outside the journal is not sent again by the next process.
    @Test func aJournaledSender_sendsOnce() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            Self.orders.replacing("key     = ", with: "journal = false\nkey     = ")
                .replacing("key    = ", with: "journal = false\nkey    = ") + """
                    [loops.plain.feedback.place]
                    send = { loop = "order", key = "'a'", event = "added", n = 2 }

                    """)
        let first = try Spinhost.run("run", "--steps", "--journal", "run.journal", in: folder)
        #expect(first.output.contains("order/a  #1  added(n: 2)"), "\(first.output)\(first.errors)")
        for _ in 1...2 {
            let next = try Spinhost.run("run", "--steps", "--journal", "run.journal", in: folder)
            #expect(next.status == 0 && !next.output.contains("order/"), "\(next.output)\(next.errors)")
        }
    }

    @Test func aRecordingOfInstances_isReplayed() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            Self.orders + """
                [loops.plain.feedback.place]
                send = [
                    { loop = "order", key = "'a'", event = "added", n = 2 },
                    { loop = "order", key = "'b'", event = "added", n = 3 },
                    { loop = "order", key = "'a'", event = "split", by = 0 },
                    { loop = "order", key = "'a'", event = "added", n = 4 },
                    { loop = "order", key = "'a'", event = "paid" },
                    { loop = "order", key = "'b'", event = "added", n = 5 },
                ]

                """)
        let recording = try Spinhost.run("run", "--json", in: folder)
        let lines = recording.output.split(separator: "\n")
        #expect(
            lines.contains(
                #"{"loop":"order","step":0,"state":{"key":"a","items":0,"paid":false},"origin":"initial"}"#))
        #expect(
            lines.contains {
                $0.hasPrefix(#"{"loop":"order","key":"a","step":1,"origin":"reducer","fault":"#)
            })
        try folder.write("run.jsonl", recording.output)
        #expect(try Spinhost.run("replay", "run.jsonl", in: folder).output == "identical: 5 steps\n")
        let wrong = recording.output.replacing(#""key":"b","items":8"#, with: #""key":"b","items":9"#)
        #expect(wrong != recording.output)
        try folder.write("wrong.jsonl", wrong)
        let replay = try Spinhost.run("replay", "wrong.jsonl", in: folder)
        #expect(replay.status == 1, "\(replay.output)\(replay.errors)")
        let steps = try Spinhost.run("run", "--steps", in: folder)
        #expect(steps.output.contains("order/a  #1  added(n: 2)  items 0 → 2  ← gear:order.added\n"))
        #expect(steps.errors.contains("in loop `order/a`, step 1, reducer"), "\(steps.errors)")
    }
}
