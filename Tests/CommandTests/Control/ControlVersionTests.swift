import Foundation
import TestSupport
import Testing

/// Version 2 of the control protocol, by what a client says and hears.
@Suite(.timeLimit(.minutes(10))) struct ControlVersionTests {
    private func object(_ line: String?) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data((line ?? "").utf8)) as? [String: Any], "\(line ?? "")"
        )
    }

    /// An app whose loop counts, and which can be made to step as fast as it can.
    private static let counter = """
        app.name = "door"
        [loops.door]
        state  = { n = 0, text = "" }
        events = { add = {}, write = { text = "string" } }
        on.add = { set = { n = "state.n + 1" } }
        on.write = { set = { text = "event.text" } }

        """

    /// Has the host take so many events of a client, whose answers are read.
    private func send(_ count: Int, _ event: String, _ host: ControlledHost) throws {
        let sender = try LineClient(host.socket)
        _ = sender.line()
        for _ in 0..<count / 100 {
            sender.say(
                Array(String(repeating: "{\"request\":\"send\",\"event\":\"\(event)\"}\n", count: 100).utf8))
            for _ in 0..<100 { #expect(sender.line()?.hasSuffix(#""result":"queued"}"#) == true) }
        }
    }

    @Test func `A client of version 1 hears what it heard before, until it asks for version 2`() throws {
        let host = try ControlledHost()
        let client = try LineClient(host.socket)
        #expect(
            client.line()
                == #"{"spinhost":1,"app":"door","pid":\#(host.program.identifier),"versions":[1,2]}"#)
        #expect(client.ask(#"{"request":"graph"}"#)?.contains(#""code":"unknown-request""#) == true)
        #expect(client.ask(#"{"request":"watch","steps":true}"#)?.contains(#""code":"unknown-key""#) == true)
        #expect(client.ask(#"{"request":"counters","loop":"door"}"#)?.contains("queue") == false)
        #expect(client.ask(#"{"request":"hello","version":7}"#)?.contains("it speaks 1 and 2") == true)
        #expect(client.ask(#"{"request":"graph"}"#)?.contains(#""code":"unknown-request""#) == true)
        #expect(
            client.ask(#"{"request":"hello","version":2}"#)?.hasPrefix(#"{"ok":true,"version":2,"#) == true)
        #expect(client.ask(#"{"request":"graph"}"#)?.hasPrefix(#"{"ok":true,"app":"door","#) == true)
        #expect(client.ask(#"{"request":"state"}"#)?.hasPrefix(#"{"ok":true,"states":"#) == true)
    }

    @Test func `What a client of version 2 gets wrong is said to it`() throws {
        let host = try ControlledHost()
        let client = try LineClient(version2At: host.socket)
        for (request, code) in [
            (#"{"request":"steps","limit":0}"#, "wrong-type"),
            (#"{"request":"steps","limit":1001}"#, "wrong-type"),
            (#"{"request":"steps","from":-1}"#, "wrong-type"),
            (#"{"request":"steps","loop":"window"}"#, "unknown-loop"),
            (#"{"request":"at"}"#, "missing-key"),
            (#"{"request":"at","position":1,"step":2}"#, "missing-key"),
            (#"{"request":"at","position":99}"#, "unknown-place"),
            (#"{"request":"at","loop":"door","step":99}"#, "unknown-place"),
            (#"{"request":"diff","from":1}"#, "wrong-type"), (#"{"request":"diff"}"#, "missing-key"),
            (#"{"request":"watch","counters":"1ms"}"#, "wrong-type"),
            (#"{"request":"watch","steps":1}"#, "wrong-type"),
            (#"{"request":"why"}"#, "missing-key"),
            (#"{"request":"why","feedback":"x"}"#, "unknown-feedback"),
            (#"{"request":"fork","position":0}"#, "missing-key"),
            (#"{"request":"fork","position":0,"events":[1]}"#, "wrong-type"),
            (#"{"request":"fork","position":0,"events":[{"event":"x"}]}"#, "unknown-event"),
            (#"{"request":"export","form":"xml","from":1,"to":2}"#, "missing-key"),
            (#"{"request":"export","form":"test","from":2,"to":1}"#, "missing-key"),
            (#"{"request":"export","form":"test","from":1,"to":2}"#, "unknown-place"),
            (#"{"request":"graph","loop":"door"}"#, "unknown-key"),
        ] {
            let answer = client.ask(request)
            #expect(answer?.contains(#""code":"\#(code)""#) == true, "\(request): \(answer ?? "")")
        }
        #expect(client.ask(#"{"request":"plugins"}"#) == #"{"ok":true,"plugins":[]}"#)
    }

    @Test func `Every step is either sent or counted as skipped, and the last one is sent`() throws {
        let host = try ControlledHost(Self.counter)
        let watcher = try LineClient(version2At: host.socket)
        #expect(watcher.ask(#"{"request":"watch","steps":true}"#) == #"{"ok":true}"#)
        try send(20_000, "add", host)
        var (sent, skipped, last) = (0, 0, 0)
        while sent + skipped < 20_000 {
            let line = try object(watcher.line())
            if let count = line["skipped"] as? Int { skipped += count }
            guard let step = line["step"] as? [String: Any], let number = step["step"] as? Int else {
                continue
            }
            #expect(number > last)
            #expect((step["changed"] as? [String: [Int]])?["n"] == [number - 1, number])
            #expect(step["state"] == nil)
            (sent, last) = (sent + 1, number)
        }
        #expect(sent + skipped == 20_000 && last == 20_000)
    }

    @Test func `A watcher that does not read holds nobody up, and hears later how much it has missed`() throws
    {
        let host = try ControlledHost(Self.counter)
        let watcher = try LineClient(version2At: host.socket)
        #expect(watcher.ask(#"{"request":"watch","steps":true}"#) == #"{"ok":true}"#)
        let writer = try LineClient(host.socket)
        _ = writer.line()
        let text = String(repeating: "x", count: 60_000)
        for number in 1...100 {
            let request = #"{"request":"send","event":"write","payload":{"text":"\#(number)\#(text)"}}"#
            #expect(writer.ask(request)?.hasSuffix(#""result":"queued"}"#) == true)
        }
        try send(20_000, "add", host)
        var (sent, skipped) = (0, 0)
        while sent + skipped < 20_100 {
            let line = try object(watcher.line())
            if let count = line["skipped"] as? Int { skipped += count }
            if line["step"] != nil { sent += 1 }
        }
        #expect(sent + skipped == 20_100 && skipped > 10_000)
    }

    @Test func `Runs, faults, messages and counters are sent to those who ask for them`() throws {
        let host = try ControlledHost(
            """
            app.name = "door"
            app.stay = true
            [gears.news]
            messages = { opened = { times = "int" } }
            [loops.door]
            state  = { times = 0 }
            events = { pushed = {}, divided = {}, rested = {} }
            on.pushed  = { set = { times = "state.times + 1" } }
            on.rested  = { set = { times = "state.times * 10" } }
            on.divided = { set = { times = "state.times / 0" } }
            [loops.door.feedback.rest]
            effect = "std:after"
            args   = ["duration('1ms')"]
            on     = "pushed"
            emits.elapsed = { event = "rested" }
            [loops.door.feedback.tell]
            on   = "rested"
            send = { gear = "news", message = "opened", times = "state.times" }
            [loops.other]
            state  = { seen = 0 }
            events = { heard = { times = "int" } }
            receive.news.opened = { event = "heard", times = "message.times" }
            on.heard = { set = { seen = "event.times" } }

            """)
        let watcher = try LineClient(version2At: host.socket)
        let request =
            #"{"request":"watch","runs":true,"faults":true,"gears":true,"steps":true,"counters":"1h"}"#
        #expect(watcher.ask(request) == #"{"ok":true}"#)
        let first = try object(watcher.line())
        #expect((first["counters"] as? [[String: Any]])?.count == 3)
        let sender = try LineClient(version2At: host.socket)
        _ = sender.ask(#"{"request":"send","event":"pushed"}"#)
        // The end of a run may be told after the steps that it has caused.
        var missing: Set = [
            "step door", "run rest began", "run rest ended", "run tell began", "message opened", "step other",
        ]
        while !missing.isEmpty {
            let line = try object(watcher.line())
            for (kind, value) in line {
                let fields = try #require(value as? [String: Any])
                let what = fields["feedback"] ?? fields["message"] ?? fields["loop"] ?? ""
                let state = fields["state"].map { " \($0)" } ?? ""
                if kind == "run", fields["feedback"] as? String == "gear:news" { continue }
                missing.remove("\(kind) \(what)\(state)")
            }
        }
        _ = sender.ask(#"{"request":"send","event":"divided"}"#)
        var line = try object(watcher.line())
        while line["fault"] == nil { line = try object(watcher.line()) }
        #expect((line["fault"] as? [String: Any])?["code"] as? String == "E031")
        let counters = try object(sender.ask(#"{"request":"counters","loop":"door"}"#))
        let watched = try #require(
            (counters["counters"] as? [[String: Any]])?.first?["watched"] as? [String: Any])
        let events = try #require(watched["events"] as? [String: [String: Int]])
        #expect(events["external"]?["handled"] == 1 && events["feedback"]?["handled"] == 1)
        let rest = (watched["feedbacks"] as? [[String: Any]])?.first { $0["feedback"] as? String == "rest" }
        #expect(rest?["began"] as? Int == 1 && rest?["ended"] as? Int == 1)
        #expect(rest?["plugin"] as? String == "std")
        #expect(rest?["outcomes"] as? [String: Int] == ["succeeded": 1, "failed": 0, "cancelled": 0])
        let tell = (watched["feedbacks"] as? [[String: Any]])?.first { $0["feedback"] as? String == "tell" }
        #expect(tell?["plugin"] is NSNull)
        let all = try object(sender.ask(#"{"request":"counters"}"#))["counters"] as? [[String: Any]]
        #expect(all?.compactMap { $0["faultCodes"] as? [String: Int] } == [["E031": 1], [:], ["E031": 1]])
        let app = try #require(all?.last)
        let messages = try #require(app["messages"] as? [[String: Any]])
        #expect(messages.count == 1 && messages[0]["gear"] as? String == "news")
        #expect(messages[0]["message"] as? String == "opened")
        #expect(["sent", "delivered", "lost"].map { messages[0][$0] as? Int } == [1, 1, 0])
        let plugins = try #require(app["plugins"] as? [[String: Any]])
        #expect(plugins.count == 1 && plugins[0]["plugin"] as? String == "std")
        #expect(plugins[0]["calls"] as? Int == 1 && plugins[0]["longest"] as? Int ?? 0 >= 1_000_000)
        #expect(app["swapOutcomes"] as? [String] == [] && app["journal"] == nil)
        #expect((app["swapPauses"] as? [String: Any])?["count"] as? Int == 0)
        // What nobody watches is not counted.
        #expect(watcher.ask(#"{"request":"watch","steps":false}"#) == #"{"ok":true}"#)
        #expect(sender.ask(#"{"request":"counters","loop":"door"}"#)?.contains("watched") == false)
    }

    @Test func `With timing, counts begin with the app, and stay when watchers leave`() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "app.metrics = { timing = true }\n" + Self.counter)
        let host = try ControlledHost(in: folder, ["--json"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        try #require(host.program.waitForErrors("listening"))
        let client = try LineClient(version2At: host.socket)
        func handled() throws -> Int? {
            let counters = try object(client.ask(#"{"request":"counters","loop":"door"}"#))
            let watched =
                (counters["counters"] as? [[String: Any]])?.first?["watched"] as? [String: Any]
            return (watched?["events"] as? [String: [String: Int]])?["external"]?["handled"]
        }
        try send(100, "add", host)
        // A step is counted a little after it was printed.
        while try handled() != 100 {}
        #expect(client.ask(#"{"request":"watch","steps":true}"#) == #"{"ok":true}"#)
        #expect(client.ask(#"{"request":"watch","steps":false}"#) == #"{"ok":true}"#)
        try send(100, "add", host)
        while try handled() != 200 {}
        #expect(host.end().status == 0)
    }

    @Test func `With a journal the past is known from the first step on`() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let host = try ControlledHost(in: folder, ["--json", "--journal", "run.journal"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        try #require(host.program.waitForErrors("listening"))
        let client = try LineClient(version2At: host.socket)
        for times in 1...3 {
            _ = client.ask(
                #"{"request":"send","event":"pushed","payload":{"by":"Ada","times":\#(times)},"wait":"durable"}"#
            )
        }
        let steps = try object(client.ask(#"{"request":"steps","limit":2}"#))["steps"] as? [[String: Any]]
        #expect(steps?.compactMap { $0["step"] as? Int } == [2, 3])
        let position = try #require(steps?[0]["position"] as? Int)
        #expect(
            client.ask(#"{"request":"at","position":\#(position)}"#)
                == #"{"ok":true,"position":\#(position),"states":[{"loop":"door","step":2,"state":{"open":true,"times":3}}]}"#
        )
        #expect(
            client.ask(
                #"{"request":"diff","from":{"loop":"door","step":0},"to":{"loop":"door","step":3}}"#)?
                .contains(#""from":0,"to":3,"changed":{"open":[false,true],"times":[0,6]}"#) == true)
        let filtered = try object(client.ask(#"{"request":"steps","filter":"payload.times == 2"}"#))
        #expect((filtered["steps"] as? [[String: Any]])?.count == 1)
        let text = try object(client.ask(#"{"request":"export","form":"test","from":2,"to":3}"#))["text"]
        #expect((text as? String)?.hasPrefix("[[tests]]\nname   = \"steps 2 to 3 of door\"\n") == true)
        let journal = try #require(
            (try object(client.ask(#"{"request":"counters"}"#))["counters"] as? [[String: Any]])?.last?[
                "journal"] as? [String: Any])
        let commits = try #require(journal["commitTimes"] as? [String: Any])
        #expect(journal["commits"] as? Int ?? 0 >= 3)
        #expect(commits["count"] as? Int == journal["commits"] as? Int)
        #expect((commits["buckets"] as? [Int])?.reduce(0, +) == journal["commits"] as? Int)
        #expect(commits["sum"] as? Int ?? 0 >= commits["longest"] as? Int ?? .max)
        // A branch leaves the app and its journal as they are.
        let branch = client.ask(
            #"{"request":"fork","loop":"door","step":1,"events":[{"event":"shut"},{"event":"pushed","payload":{"by":"Bob","times":9}}]}"#
        )
        #expect(branch?.hasSuffix(#""states":[{"loop":"door","state":{"open":true,"times":10}}]}"#) == true)
        #expect(
            try host.spinhost("state").output == #"{"loop":"door","step":3,"state":{"open":true,"times":6}}"#
                + "\n")
        #expect(host.end().status == 0)
    }

    @Test func `Secrets are replaced in everything that a client hears`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            app.name = "door"
            config.key = { env = "DOOR_KEY" }
            [loops.door]
            state  = { key = "" }
            events = { turned = { by = "string" } }
            on.turned = { set = { key = "config.key" } }

            """)
        let host = try ControlledHost(in: folder, ["--json"], environment: ["DOOR_KEY": "sesame-7731"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        try #require(host.program.waitForErrors("listening"))
        let client = try LineClient(version2At: host.socket)
        #expect(client.ask(#"{"request":"watch","steps":true}"#) == #"{"ok":true}"#)
        #expect(
            client.ask(#"{"request":"send","event":"turned","payload":{"by":"sesame-7731"}}"#)?
                .hasSuffix(#""result":"queued"}"#) == true)
        let lines = [
            client.line(), client.ask(#"{"request":"steps"}"#),
            client.ask(#"{"request":"at","loop":"door","step":1}"#),
        ]
        for line in lines {
            #expect(line?.contains("<secret>") == true && line?.contains("sesame") == false, "\(line ?? "")")
        }
    }
}
