import Foundation
import TestSupport
import Testing

/// `spinhost tail`
@Suite(.timeLimit(.minutes(10))) struct TailCommandTests {
    private static let manifest = """
        app.name = "door"
        [loops.door]
        state  = { open = false, times = 0 }
        events = { pushed = { by = "string", times = "int" }, shut = {}, odd = {}, divided = {} }
        [loops.door.on]
        pushed  = { set = { open = "true", times = "state.times + event.times" } }
        shut    = { set = { open = "false" } }
        divided = { set = { times = "state.times / 0" } }

        """

    private func send(_ host: ControlledHost, _ arguments: String...) throws {
        let client = try host.start("send", arguments[0], arguments.count > 1 ? arguments[1] : "{}")
        #expect(client.nextLine() == "queued")
        #expect(client.end().status == 0)
    }

    /// Sends events until the client shows the first one, so that it watches from then on.
    private func begin(_ tail: RunningProgram, _ host: ControlledHost) throws {
        // The client has connected and watches once the counters say so.
        let client = try LineClient(version2At: host.socket)
        try blockUntil { client.ask(#"{"request":"counters","loop":"door"}"#)?.contains("watched") == true }
    }

    @Test func `It prints steps as run does, faults, and events that nothing handles`() throws {
        let host = try ControlledHost(Self.manifest)
        let tail = try host.start("tail")
        try begin(tail, host)
        try send(host, "pushed", #"{"by":"Ada","times":3}"#)
        #expect(
            tail.nextLine()
                == #"door  #1  pushed(by: "Ada", times: 3)  open false → true, times 0 → 3  ← external"#)
        try send(host, "odd")
        #expect(tail.nextLine() == "door  –  odd  not handled  ← external")
        try send(host, "divided")
        #expect(tail.nextLine().hasPrefix("door  fault E031 in reducer: "))
        kill(host.program.identifier, SIGTERM)
        #expect(tail.nextLine(with: "ended") == "ended: stopped")
        #expect(tail.end().status == 0)
    }

    @Test func `A filter chooses steps, and a wrong one is refused`() throws {
        let host = try ControlledHost(Self.manifest)
        let tail = try host.start("tail", "--json", "--filter", "event == 'shut' && before.open")
        try begin(tail, host)
        for _ in 0..<3 { try send(host, "shut") }
        try send(host, "pushed", #"{"by":"Ada","times":3}"#)
        try send(host, "shut")
        let line = tail.nextLine()
        #expect(line.hasPrefix(#"{"step":{"position":"#), "\(line)")
        #expect(line.contains(#""step":5,"#) && line.contains(#""changed":{"open":[true,false]}"#))
        kill(tail.identifier, SIGINT)
        #expect(tail.end().status == 0)
        let wrong = try host.spinhost("tail", "--filter", "event ==")
        #expect(wrong.status == 64 && wrong.errors.contains("`event ==` is no filter: "))
        let none = try host.spinhost("tail", "--filter", "state.tims > 3")
        #expect(
            none.errors.hasPrefix("error: `state.tims > 3` is no filter: no watched loop has `state.tims`\n"))
        #expect(none.status == 64 && none.errors.contains("did you mean `times`?"))
        let unknown = try host.spinhost("tail", "--loop", "dor")
        #expect(unknown.status == 64 && unknown.errors.contains("did you mean `door`?"))
    }

    @Test func `It ends when a changed manifest has removed a field of the filter`() throws {
        let host = try ControlledHost(Self.manifest)
        let tail = try host.start("tail", "--filter", "state.times > 1")
        try begin(tail, host)
        try host.folder.write("app.toml", Self.manifest.replacing("times", with: "number"))
        #expect(try host.spinhost("reload").output == "reloaded\n")
        let outcome = tail.end()
        let refusal = "error: `state.times > 1` is no filter: no watched loop has `state.times`\n"
        #expect(outcome.errors.hasPrefix(refusal), "\(outcome)")
        #expect(outcome.errors.contains("`state` has: `open`, `number`") && outcome.status == 64)
    }

    @Test func `The log of the host is printed between the steps`() throws {
        let host = try ControlledHost(Self.manifest)
        let tail = try host.start("tail")
        try begin(tail, host)
        // A client that does not read is a line of the log.
        let slow = try LineClient(host.socket)
        let request = "\(#"{"request":"counters"}"#)\n"
        slow.say(Array(String(repeating: request, count: 20_000).utf8))
        #expect(
            tail.nextLine(with: "warning")
                == "warning: a client of the control socket read too slowly and was cut off (1 so far)")
        kill(tail.identifier, SIGTERM)
        #expect(tail.end().status == 0)
    }
}

extension TailCommandTests {
    private static let orders = """
        app.name = "door"
        [loops.order]
        key    = "string"
        state  = { items = 0, paid = false }
        events = { added = { n = "int" }, paid = {}, odd = {}, divided = {} }
        until  = "state.paid"
        [loops.order.on]
        added   = { set = { items = "state.items + event.n" } }
        paid    = { set = { paid = "true" } }
        divided = { set = { items = "state.items / 0" } }
        [loops.order.feedback.print]
        on     = "added"
        effect = "std:print"
        args   = ["key"]

        """

    private func beginsToWatch(_ host: ControlledHost) throws {
        let client = try LineClient(version2At: host.socket)
        try blockUntil { client.ask(#"{"request":"counters","loop":"order"}"#)?.contains("watched") == true }
    }

    private func send(_ event: String, _ payload: String = "{}", to key: String, _ host: ControlledHost)
        throws
    {
        let client = try host.start("send", event, "--loop", "order", "--key", key, payload)
        #expect(client.nextLine() == "queued")
        #expect(client.end().status == 0)
    }

    @Test func `Of a loop with a key, it prints what each instance does`() throws {
        let host = try ControlledHost(Self.orders)
        let tail = try host.start("tail", "--runs")
        try beginsToWatch(host)
        try send("added", #"{"n":2}"#, to: "A17", host)
        #expect(tail.nextLine() == "order/A17  #1  added(n: 2)  items 0 → 2  ← external")
        #expect(tail.nextLine() == "order/A17  feedback:print run 1  began by added")
        #expect(tail.nextLine().hasPrefix("order/A17  feedback:print run 1  ended after "))
        try send("odd", to: "A17", host)
        #expect(tail.nextLine() == "order/A17  –  odd  not handled  ← external")
        try send("divided", to: "A17", host)
        #expect(tail.nextLine().hasPrefix("order/A17  fault E031 in reducer: "))
        try send("paid", to: "B4", host)
        #expect(tail.nextLine() == "order/B4  #1  paid  paid false → true  ← external")
        // A key that could forge a line is quoted.
        try send("added", #"{"n":1}"#, to: "x\ndoor  #9", host)
        #expect(
            tail.nextLine(with: "#1") == ##"order/"x\ndoor  #9"  #1  added(n: 1)  items 0 → 1  ← external"##)
        let client = try LineClient(version2At: host.socket)
        let counters = try #require(client.ask(#"{"request":"counters","loop":"order"}"#))
        #expect(counters.contains(#""feedback":"print","plugin":"std","running":0,"began":2,"ended":2"#))
        let steps = try #require(client.ask(#"{"request":"steps","loop":"order","limit":1}"#))
        #expect(steps.contains(#""loop":"order","key":"x\ndoor  #9","step":1"#), "\(steps)")
        let runs = try #require(client.ask(#"{"request":"runs"}"#))
        #expect(runs == #"{"ok":true,"runs":[]}"#)
        for request in [
            #"{"request":"export","form":"jsonl","from":1,"to":1}"#,
            #"{"request":"at","loop":"order","step":1}"#,
            #"{"request":"fork","position":1,"events":[{"loop":"order","event":"paid","payload":{}}]}"#,
        ] {
            let refusal = try #require(client.ask(request))
            #expect(
                refusal.contains("loop `order` has a key: the host knows no past states of its instances"),
                "\(refusal)")
        }
        kill(tail.identifier, SIGTERM)
        #expect(tail.end().status == 0)
    }

    @Test func `A filter chooses an instance by its key`() throws {
        let host = try ControlledHost(Self.orders)
        let tail = try host.start("tail", "--json", "--filter", "key == 'B4' && state.items > 2")
        try beginsToWatch(host)
        try send("added", #"{"n":9}"#, to: "A17", host)
        try send("added", #"{"n":1}"#, to: "B4", host)
        try send("added", #"{"n":2}"#, to: "B4", host)
        let line = tail.nextLine()
        #expect(line.hasPrefix(#"{"step":{"position":"#), "\(line)")
        #expect(line.contains(#""loop":"order","key":"B4","step":2,"#))
        kill(tail.identifier, SIGINT)
        #expect(tail.end().status == 0)
    }
}
