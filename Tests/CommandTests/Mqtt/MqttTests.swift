import Foundation
import TestSupport
import Testing

/// Messages of `mqtt` in both directions, with mosquitto as the broker.
@Suite(.timeLimit(.minutes(10))) struct MqttTests {
    @Test(arguments: PluginMode.allCases, [0, 1, 2])
    func `a message goes out and comes in`(_ mode: PluginMode, _ qos: Int) throws {
        let world = try MqttWorld(mode)
        let app = try world.start(("in/#", qos))
        #expect(app.nextLine(with: "online") == "online")
        try app.write("out/a \(qos) grüß")
        #expect(try world.broker.messages("out/#") == ["out/a grüß"])
        // Retained, so it comes also if the subscription is later.
        try world.broker.publish("in/b/c", "höflich\n", qos: 2, "-r")
        #expect(app.nextLine() == "0 in/b/c höflich \(qos)")
        app.endInOrder()
    }

    @Test func `each call that fits emits a message, and a call that is cancelled emits none`() throws {
        let world = try MqttWorld()
        try world.broker.publish("a/b", "first\n", "-r")
        let app = try world.start(("a/#", 2), ("a/+", 0), ("c", 1))
        var found: Set<String> = []
        while found.count < 2 {
            let line = app.nextLine(with: "a/b")
            #expect(!line.isEmpty)
            found.insert(String(line.prefix(1)))
        }
        #expect(found == ["0", "1"])
        try app.write("mute")
        try app.write("a/b 1 second")
        try blockUntil { try world.broker.messages("a/b") == ["a/b second"] }
        // A message for a call would come before this failure.
        try app.write("a 3 x")
        var line = ""
        repeat {
            line = app.nextLine()
            #expect(!line.contains("second"))
        } while line.contains("first")
        #expect(line == "-5 the QoS must be 0, 1 or 2")
        try app.write("listen")
        #expect(app.nextLine(with: "second").contains(" a/b second "))
        app.endInOrder()
    }

    @Test func `a hundred thousand messages of QoS 1 pass through a small mailbox`() throws {
        let world = try MqttWorld()
        let manifest = """
            app.name = "counter"
            [plugins.mqtt]
            library = "\(MqttWorld.library)"
            config = { broker = "mqtt://127.0.0.1:\(world.broker.port)" }
            [loops.main]
            state   = { count = 0, sum = 0 }
            events  = { got = { number = "int" } }
            mailbox = { capacity = 16, overflow = "reject" }
            until   = "state.count == 100001"
            on.got  = { set = { count = "state.count + 1", sum = "state.sum + event.number" } }
            [loops.main.feedback.listen]
            effect = "mqtt:subscribe"
            args   = { topic = "'number'", qos = 1 }
            [loops.main.feedback.listen.emits.message]
            event  = "got"
            number = "int(string(value.payload))"
            [loops.main.feedback.print]
            effect = "std:print"
            when   = "state.count == 1 || state.count == 100001"
            args   = { text = "string(state.sum)" }
            """
        let app = try world.folder.start(manifest)
        // The broker has the subscription when the first one comes.
        try world.broker.publish("number", "0\n", "-r")
        #expect(app.nextLine() == "0")
        // mosquitto_pub loses messages when it has more than 65,535.
        for part in 0..<5 {
            let numbers = (part * 20_000 + 1)...(part * 20_000 + 20_000)
            try world.broker.publish("number", numbers.map { "\($0)\n" }.joined())
        }
        #expect(app.nextLine() == "5000050000")
        #expect(app.end().status == 0)
    }

    @Test func `what cannot be sent is a failure of its call`() throws {
        let world = try MqttWorld()
        let app = try world.start(("a/#/b", 1), config: "largest_message = 3")
        #expect(
            app.nextLine(with: "-5")
                == "-5 `+` must be a whole level of the topic, and `#` must be the last one")
        for (line, reason) in [
            ("a/# 1 x", "-5 the topic of a message has no `+` and no `#`"),
            ("a 3 x", "-5 the QoS must be 0, 1 or 2"),
            ("a 1 long", "-5 the payload is larger than 3 bytes (setting `largest_message`)"),
        ] {
            try app.write(line)
            #expect(app.nextLine(with: "-5") == reason)
        }
        app.endInOrder()
    }

    @Test func `a subscription that the broker refuses is a failure of its call`() throws {
        // Each processor has a folder of its own.
        let found = try Shell.run("find", ["/usr/lib", "-name", "mosquitto_dynamic_security.so"]).output
        let plugin = try #require(found.split(separator: "\n").first)
        let folder = try TemporaryFolder()
        try folder.write(
            "rules.json",
            """
            {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true, "subscribe": false,
            "unsubscribe": true}, "clients": [], "groups": [], "roles": []}
            """)
        let broker = try MqttBroker(
            "allow_anonymous true\nplugin \(plugin)\nplugin_opt_config_file \(folder.url("rules.json").path)",
            folder: folder)
        let world = try MqttWorld(.inline, broker)
        let app = try world.start(("secret", 1))
        #expect(app.nextLine(with: "-128") == "-128 the broker refuses the subscription to `secret`")
        app.endInOrder()
    }

    @Test(arguments: [
        (
            "broker = 'localhost'",
            "setting `broker`: it must be `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`"
        ),
        ("broker = 'mqtt://[::1:1883'", "setting `broker`: it must be"),
        ("broker = 'mqtt://a:65536'", "setting `broker`: it must be"),
        ("broker = 'mqtt://a/b'", "setting `broker`: it must be"),
        ("keeps_session = true", "setting `keeps_session`: it needs the setting `client`"),
        ("will_payload = 'x'", "they need the setting `will_topic`"),
        ("will_topic = 'a/#'", "setting `will_topic`: messages cannot have this topic"),
        ("ca_file = 'a'", "the broker must begin with `mqtts://`"),
        ("broker = 'mqtts://a', key_file = 'a'", "one needs the other"),
        (
            "broker = 'mqtts://a', ca_file = 'missing'",
            "setting `ca_file`: the file cannot be used: No such file or directory"
        ),
        (
            "reconnect_least = '2s', reconnect_most = '1s'",
            "setting `reconnect_least`: it is greater than `reconnect_most`"
        ),
    ])
    func `a setting that is not valid ends the app before it begins`(_ config: String, _ reason: String)
        throws
    {
        let world = try MqttWorld()
        let end = try world.start(("a", 0), config: config).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test func `it breaks no rule for plugins`() throws {
        let outcome = try Spinhost.run(
            "plugin", "check", MqttWorld.library, "--call", "--seed", "7", "--only-failed")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
