import Foundation
import TestSupport
import Testing

/// Messages of `nats` in both directions, with nats-server.
@Suite(.timeLimit(.minutes(10))) struct NatsTests {
    @Test(arguments: PluginMode.allCases) func `a message goes out and comes in`(_ mode: PluginMode) throws {
        let world = try NatsWorld(mode)
        let app = try world.start("in.>", "in.*")
        #expect(app.nextLine(with: "online") == "online")
        try app.write("publish in.a grüß")
        let lines = [app.nextLine(), app.nextLine()]
        #expect(lines.sorted() == ["0 in.a grüß", "1 in.a grüß"])
        try app.write("request nobody.here x")
        #expect(app.nextLine() == "-130 nobody answers requests of this subject")
        app.endInOrder()
    }

    @Test func `a call that is cancelled emits nothing more`() throws {
        let world = try NatsWorld()
        let app = try world.start("a")
        #expect(app.nextLine(with: "online") == "online")
        try app.write("publish a first")
        #expect(app.nextLine() == "0 a first")
        try app.write("mute")
        try app.write("publish a second")
        // The server has the message before this request, and a message for a call would come before the answer.
        try app.write("request nobody.here x")
        #expect(app.nextLine() == "-130 nobody answers requests of this subject")
        try app.write("listen")
        try app.write("publish a third")
        #expect(app.nextLine() == "0 a third")
        app.endInOrder()
    }

    @Test func `fifty thousand messages pass through a small mailbox`() throws {
        let world = try NatsWorld()
        let manifest = """
            app.name = "counter"
            [plugins.nats]
            library = "\(NatsWorld.library)"
            config = { servers = ["nats://127.0.0.1:\(world.server.port)"], most_held = 50000 }
            [loops.main]
            state    = { count = 0, sum = 0 }
            events   = { got = { number = "int" }, ready = {} }
            mailbox  = { capacity = 16, overflow = "reject" }
            until    = "state.count == 50001"
            on.got   = { set = { count = "state.count + 1", sum = "state.sum + event.number" } }
            on.ready = {}
            [loops.main.feedback.listen]
            effect       = "nats:subscribe"
            args         = { subject = "'number'", queue = "''" }
            emits.missed = []
            [loops.main.feedback.listen.emits.message]
            event  = "got"
            number = "int(string(value.data))"
            [loops.main.feedback.connection]
            effect             = "nats:connection"
            emits.connected    = { event = "ready" }
            emits.disconnected = []
            [loops.main.feedback.begin]
            on     = "ready"
            effect = "nats:publish"
            args   = { subject = "'number'", data = "b'0'", headers = "[]" }
            [loops.main.feedback.print]
            effect = "std:print"
            when   = "state.count == 1 || state.count == 50001"
            args   = { text = "string(state.sum)" }
            """
        try world.folder.write("app.toml", manifest)
        let app = try RunningProgram(["run", "--quiet"], in: world.folder.root)
        // The server has the subscription when the first one comes.
        #expect(app.nextLine() == "0")
        try world.server.publishNumbers("number", upTo: 50_000)
        #expect(app.nextLine() == "1250025000")
        #expect(app.end().status == 0)
    }

    @Test func `what cannot be sent is a failure of its call`() throws {
        let world = try NatsWorld()
        let app = try world.start("a..b", config: "largest_message = 3")
        #expect(app.nextLine(with: "-5") == "-5 a part of the subject is empty")
        for (line, reason) in [
            ("publish a.> x", "-5 the subject of a message has no `*` and no `>` as a part"),
            ("publish .a x", "-5 a part of the subject is empty"),
            ("publish a long", "-5 the message is larger than 3 bytes (setting `largest_message`)"),
        ] {
            try app.write(line)
            #expect(app.nextLine(with: "-5") == reason)
        }
        app.endInOrder()
    }

    @Test(arguments: [
        (
            "servers = ['localhost']",
            "setting `servers`: server 1 must be `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; the user, the"
        ),
        ("servers = []", "setting `servers`: there must be 1 to 100"),
        ("servers = ['nats://ada:secret@a']", "setting `servers`: server 1 must be"),
        ("inbox = 'a b'", "setting `inbox`: it must be the begin of a subject, with at most 64 bytes"),
        ("key_file = 'a'", "settings `certificate_file` and `key_file`: one needs the other"),
        ("ca_file = 'missing'", "setting `ca_file`: the file cannot be used: No such file or directory"),
        (
            "reconnect_least = '2s', reconnect_most = '1s'",
            "setting `reconnect_least`: it is greater than `reconnect_most`"
        ),
    ])
    func `a setting that is not valid ends the app before it begins`(_ config: String, _ reason: String)
        throws
    {
        let world = try NatsWorld()
        let end = try world.start("a", config: config).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test func `it breaks no rule for plugins`() throws {
        let outcome = try Spinhost.run(
            "plugin", "check", NatsWorld.library, "--call", "--seed", "7", "--only-failed")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
