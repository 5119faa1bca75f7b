import Foundation
import TestSupport
import Testing

/// Sessions of `mqtt` that a broker keeps, and swaps.
@Suite(.timeLimit(.minutes(10))) struct MqttSessionTests {
    private static let session = "client = 'keeper', keeps_session = true"

    @Test(arguments: PluginMode.allCases)
    func `messages that come while the app is away are there for the next one`(_ mode: PluginMode) throws {
        let world = try MqttWorld(mode)
        let first = try world.start(("in", 2), config: Self.session)
        // The broker has the subscription when this one comes.
        try world.broker.publish("in", "first\n", "-r")
        #expect(first.nextLine(with: "first") == "0 in first 1")
        first.endInOrder()
        try world.broker.publish("in", "second\n", qos: 1)
        try world.broker.publish("in", "third\n", qos: 2)
        let next = try world.start(("in", 2), config: Self.session)
        #expect(next.nextLine(with: "second") == "0 in second 1")
        #expect(next.nextLine(with: "third") == "0 in third 2")
        next.endInOrder()
    }

    @Test(arguments: PluginMode.allCases, [1, 2])
    func `swaps lose no message of a session, and repeat none`(_ mode: PluginMode, _ qos: Int) throws {
        let world = try MqttWorld(mode)
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: MqttWorld.library), to: world.folder.url("mqtt.so"))
        try world.folder.write(
            "app.toml",
            world.manifest(
                [("in/+", 2)], config: Self.session, library: "./mqtt.so",
                more: "mailbox = { capacity = 8, overflow = \"reject\" }"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        try world.broker.publish("in/first", "0\n", "-r")
        #expect(host.program.nextLine(with: "in/first") == "0 in/first 0 1")
        let publisher = try RunningProgram(
            [
                "-c",
                "seq 2000 | mosquitto_pub -h 127.0.0.1 -p \(world.broker.port) -t in/number -q \(qos) -l",
            ], program: "/bin/bash")
        for _ in 1...3 {
            // While its own messages have no answer, the plugin reads several at once.
            for number in 1...20 { try host.program.write("out 1 \(number)") }
            try host.swapChanged("mqtt", "mqtt.so")
        }
        #expect(publisher.end().status == 0)
        // A new subscription brings the retained message again. More lines would not fit into the pipe of the output.
        let numbers = (1...2000).map { _ in host.program.nextLine(with: "in/number") }
        #expect(numbers == (1...2000).map { "0 in/number \($0) \(qos)" })
        host.program.endInOrder()
    }

    @Test func `a second client with the same client id takes the place of the first`() throws {
        let world = try MqttWorld()
        let config = "client = 'same', reconnect_least = '1h', reconnect_most = '1h'"
        let first = try world.start(config: config)
        #expect(first.nextLine(with: "online") == "online")
        let second = try world.start(config: config)
        #expect(second.nextLine(with: "online") == "online")
        #expect(first.nextLine() == "no: the broker has closed the connection")
        try second.write("out 1 x")
        #expect(try world.broker.messages("out") == ["out x"])
        first.endInOrder()
        second.endInOrder()
    }
}
