import Foundation
import TestSupport
import Testing

/// What clients may say to a control socket, and how they may behave.
struct ControlProtocolTests {
    private static let state = #"{"loop":"door","step":0,"state":{"open":false,"times":0}}"#

    /// A client that was greeted.
    private func client(of host: ControlledHost) throws -> LineClient {
        let client = try LineClient(host.socket)
        #expect(
            client.line()
                == #"{"spinhost":1,"app":"door","pid":\#(host.program.identifier),"versions":[1,2]}"#)
        return client
    }

    private func error(_ code: String, _ message: String, _ help: String? = nil) -> String {
        let help = help.map { #","help":["\#($0)"]"# } ?? ""
        return #"{"ok":false,"error":{"code":"\#(code)","message":"\#(message)"\#(help)}}"#
    }

    @Test func invalidRequest_isAnswered_andTheConnectionContinues() throws {
        let host = try ControlledHost()
        let client = try client(of: host)
        let example = #"a request is one line such as `{\"request\":\"state\"}`"#
        let lines = [
            ("foo", error("invalid-json", "the JSON wants a value at byte 1", example)),
            ("[]", error("wrong-type", "a request must be an object, found list", example)),
            (#"{"requst":"state"}"#, error("missing-key", "the key `request` is missing", example)),
            (#"{"request":1}"#, error("wrong-type", "`request` must be a string, found int")),
            (
                #"{"request":"stat"}"#,
                error("unknown-request", "unknown request `stat`", "did you mean `state`?")
            ),
            (
                #"{"request":"reboot"}"#,
                error(
                    "unknown-request", "unknown request `reboot`",
                    "the requests: `send`, `state`, `watch`, `swap`, `reload`, `metrics`, `counters`")
            ),
            (
                #"{"request":"state","lop":"door"}"#,
                error("unknown-key", "`state` has no key `lop`", "did you mean `loop`?")
            ),
            (#"{"request":"watch","loop":1}"#, error("wrong-type", "`loop` must be a string, found int")),
            (
                #"{"request":"send"}"#,
                error("missing-key", "`send` needs the key `event`", "write the name of the event to send")
            ),
            (
                #"{"request":"send","event":"shut","payload":[]}"#,
                error("wrong-type", "`payload` must be an object, found list")
            ),
            (
                #"{"request":"send","event":"shut","fields":{"x":1}}"#,
                error(
                    "wrong-type", "`fields.x` must be a string, found int",
                    "use `payload` for values of other types")
            ),
            (
                #"{"request":"send","event":"shut","fields":{},"payload":{}}"#,
                error(
                    "unknown-key", "`send` takes `payload` or `fields`, not both",
                    "`payload` is JSON; the values of `fields` are texts, as on the command line")
            ),
        ]
        for (line, answer) in lines { #expect(client.ask(line) == answer) }
        client.say([0x22, 0xFF, 0x22, 0x0A])
        #expect(client.line() == error("invalid-json", "the line is not UTF-8"))
        client.say(Array("\n \r\n".utf8))
        #expect(client.ask(#"{"request":"state"}"#) == #"{"ok":true,"states":[\#(Self.state)]}"#)
    }

    @Test func garbage_getsOneErrorForEachLine() throws {
        let host = try ControlledHost()
        let client = try client(of: host)
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<300 {
            let length = Int.random(in: 1...200, using: &generator)
            var line = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }.filter {
                $0 != 10
            }
            // Not empty, and no request.
            line = [0x21] + line + [0x0A]
            client.say(line)
            #expect(client.line()?.hasPrefix(#"{"ok":false,"error":{"code":"invalid-json","#) == true)
        }
        #expect(client.ask(#"{"request":"state"}"#)?.hasPrefix(#"{"ok":true"#) == true)
    }

    @Test func requestsInOnePiece_andOneInManyPieces_areAnsweredInOrder() throws {
        let host = try ControlledHost()
        let client = try client(of: host)
        let request = #"{"request":"state"}"#
        client.say(Array("\(request)\nno\n\(request)\n".utf8))
        #expect(client.line()?.hasPrefix(#"{"ok":true"#) == true)
        #expect(client.line()?.hasPrefix(#"{"ok":false"#) == true)
        #expect(client.line()?.hasPrefix(#"{"ok":true"#) == true)
        for byte in request.utf8 { client.say([byte]) }
        #expect(client.ask("")?.hasPrefix(#"{"ok":true"#) == true)
        // Whoever has said everything may listen on.
        client.say(request)
        client.endInput()
        #expect(client.line()?.hasPrefix(#"{"ok":true"#) == true)
        #expect(client.line() == nil)
    }

    @Test func aLineOfTheGreatestLength_isTaken_andALongerOneEndsTheConnection() throws {
        let host = try ControlledHost()
        let client = try client(of: host)
        let request = #"{"request":"state"}"#
        let spaces = String(repeating: " ", count: (1 << 20) - request.utf8.count)
        #expect(client.ask(request + spaces)?.hasPrefix(#"{"ok":true"#) == true)
        client.say(request + spaces + " ")
        let answer = error(
            "too-long", "a request can have at most 1048576 bytes", "the host ends this connection")
        #expect(client.line() == answer)
        #expect(client.line() == nil)
        let endless = try self.client(of: host)
        while endless.say([UInt8](repeating: 0x5B, count: 1 << 16)) {}
        #expect(endless.line() == answer)
        #expect(try host.spinhost("state").output == Self.state + "\n")
    }

    @Test func aClientThatLeaves_atAnyTime_harmsNobody() throws {
        let host = try ControlledHost(printing: ControlledHost.door)
        _ = host.program.nextLine()
        for text in [
            "", "{", #"{"request":"send","event":"shut"}"#, "\(#"{"request":"watch"}"#)\n",
            "\(#"{"request":"state"}"#)\n\(#"{"request":"state"}"#)\n", "foo\n",
        ] {
            let client = try LineClient(host.socket)
            client.say(Array(text.utf8))
        }
        // What was said as a whole counts.
        try client(of: host).say(#"{"request":"send","event":"shut"}"#)
        #expect(host.program.nextLine().contains(#""step":1,"event":"shut""#))
        #expect(try host.spinhost("state").status == 0)
        #expect(host.end().status == 0)
    }

    @Test func clientThatReadsNothing_isCutOff_andTheAppContinues() throws {
        let host = try ControlledHost(Self.texts)
        let (slow, other) = (try LineClient(host.folder.url("spinhost/texts.sock").path), try host.texts())
        fill(other, String(repeating: "x", count: 100_000))
        let request = "\(#"{"request":"state"}"#)\n"
        slow.say(Array(String(repeating: request, count: 200).utf8))
        #expect(host.program.nextLine().hasSuffix("read too slowly and was cut off (1 so far)"))
        fill(other, "y")
        var answer: String?
        try blockUntil {
            answer = other.ask(#"{"request":"state"}"#)
            return answer?.contains(#""step":1,"#) != true
        }
        #expect(answer?.hasSuffix(#""step":2,"state":{"text":"y"}}]}"#) == true)
        var lines = 0
        while slow.line() != nil { lines += 1 }
        #expect(lines < 200)
    }

    @Test func watcherThatPausesReading_getsTheNewestState_whenItReadsAgain() throws {
        let host = try ControlledHost(Self.texts)
        let (slow, other) = (try host.texts(), try host.texts())
        #expect(slow.ask(#"{"request":"watch"}"#) == #"{"ok":true}"#)
        let text = String(repeating: "x", count: 100_000)
        for _ in 1...60 { fill(other, text) }
        fill(other, "last")
        var steps: [Int] = []
        while let line = slow.line() {
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            steps.append(try #require(object["step"] as? Int))
            if line.hasSuffix(#""state":{"text":"last"}}"#) { break }
        }
        #expect(steps.last == 61)
        #expect(steps.count < 61)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func moreThan64Clients_areTurnedAway_untilOneLeaves() throws {
        let host = try ControlledHost()
        var clients = try (0..<64).map { _ in try client(of: host) }
        let more = try LineClient(host.socket)
        #expect(more.line() == error("too-many-clients", "the app has 64 clients already"))
        #expect(more.line() == nil)
        let verb = try host.spinhost("state")
        #expect(verb.errors == "error: the app has 64 clients already\n" && verb.status == 69)
        #expect(clients[63].ask(#"{"request":"state"}"#)?.hasPrefix(#"{"ok":true"#) == true)
        clients.removeFirst()
        try blockUntil { try LineClient(host.socket).line()?.hasPrefix(#"{"spinhost":1,"#) == true }
    }

    @Test(.enabled(if: getuid() == 0)) func anotherUser_isTurnedAway() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65534, .groupOwnerAccountID: 65534], ofItemAtPath: folder.root.path)
        let host = try RunningProgram(
            ["--reuid=65534", "--regid=65534", "--clear-groups", Project.spinhost, "run", "--control"],
            in: folder.root, environment: ["XDG_RUNTIME_DIR": folder.root.path], program: "/usr/bin/setpriv")
        defer { kill(host.identifier, SIGKILL) }
        try #require(host.waitForErrors("listening"))
        let client = try LineClient(folder.url("spinhost/door.sock").path)
        #expect(client.line() == error("not-permitted", "this app belongs to another user"))
        #expect(client.line() == nil)
    }

    private static let texts = """
        app.name = "texts"
        [loops.main]
        state  = { text = "" }
        events = { fill = { text = "string" } }
        on     = { fill = { set = { text = "event.text" } } }

        """

    /// Changes the text.
    private func fill(_ client: LineClient, _ text: String) {
        #expect(
            client.ask(#"{"request":"send","event":"fill","payload":{"text":"\#(text)"}}"#)?
                .hasSuffix(#""result":"queued"}"#) == true)
    }
}

extension ControlledHost {
    /// A client of the app `texts` that was greeted.
    fileprivate func texts() throws -> LineClient {
        let client = try LineClient(folder.url("spinhost/texts.sock").path)
        #expect(client.line()?.hasPrefix(#"{"spinhost":1,"app":"texts""#) == true)
        return client
    }
}
