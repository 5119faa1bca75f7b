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
