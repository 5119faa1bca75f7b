import Foundation
import TestSupport
import Testing

/// Connections of `mqtt` that are refused, lost or end.
@Suite(.timeLimit(.minutes(10))) struct MqttConnectionTests {
    @Test func `when the broker is killed and comes again, messages of QoS 1 go out and subscriptions hold`()
        throws
    {
        let world = try MqttWorld()
        let app = try world.start(("in", 1))
        #expect(app.nextLine(with: "online") == "online")
        try world.broker.end()
        #expect(app.nextLine() == "no: the broker has closed the connection")
        #expect(app.nextLine(with: "refused") == "no: cannot connect: Connection refused")
        try app.write("out 0 x")
        #expect(app.nextLine() == "-129 there is no connection: cannot connect: Connection refused")
        try app.write("out 1 waits")
        try world.broker.start()
        #expect(app.nextLine(with: "online") == "online")
        #expect(try world.broker.messages("out") == ["out waits"])
        try world.broker.publish("in", "again\n", "-r")
        #expect(app.nextLine() == "0 in again 1")
        app.endInOrder()
    }

    @Test func `the broker sends the will of an app that is killed, and not of one that ends`() throws {
        let world = try MqttWorld()
        let will = "will_topic = 'will', will_payload = 'gone', will_qos = 1, will_retained = true"
        let first = try world.start(config: will)
        #expect(first.nextLine(with: "online") == "online")
        first.endInOrder()
        try world.broker.publish("will", "here\n", "-r")
        let second = try world.start(config: will)
        #expect(second.nextLine(with: "online") == "online")
        #expect(try world.broker.messages("will") == ["will here"])
        kill(second.identifier, SIGKILL)
        try blockUntil { try world.broker.messages("will") == ["will gone"] }
    }

    @Test func `a wrong password is refused, and the log does not have it`() throws {
        let folder = try TemporaryFolder()
        let made = try Shell.run(
            "mosquitto_passwd", ["-b", "-c", "passwords", "ada", "correct horse"], in: folder.root)
        try #require(made.status == 0, "\(made.errors)")
        let broker = try MqttBroker(
            "allow_anonymous false\npassword_file \(folder.url("passwords").path)", folder: folder)
        let world = try MqttWorld(.inline, broker)
        func start(_ password: String) throws -> RunningProgram {
            return try world.folder.start(
                world.manifest([], config: "user = 'ada', password = { env = 'MQTT_PASSWORD' }"),
                environment: ["MQTT_PASSWORD": password])
        }
        let wrong = try start("wrong horse")
        #expect(wrong.nextLine(with: "refuses").hasPrefix("no: the broker refuses the client: the user "))
        kill(wrong.identifier, SIGTERM)
        #expect(!wrong.end().errors.contains("wrong horse"))
        let right = try start("correct horse")
        #expect(right.nextLine(with: "online") == "online")
        right.endInOrder()
    }

    /// A broker with TLS whose certificate is for `localhost`, in a folder with the file `ca.pem`.
    private func secureBroker() throws -> MqttBroker {
        let folder = try TemporaryFolder()
        let script = """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj '/CN=authority'
            openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj '/CN=broker'
            echo 'subjectAltName=DNS:localhost' > names
            openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names > cert.pem
            openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2 -subj '/CN=other'
            """
        let made = try Shell.run("bash", ["-e", "-c", script], in: folder.root)
        try #require(made.status == 0, "\(made.errors)")
        return try MqttBroker(
            "allow_anonymous true\ncertfile \(folder.url("cert.pem").path)\nkeyfile \(folder.url("key.pem").path)",
            folder: folder)
    }

    @Test func `a broker with TLS must have a certificate that is trusted, with its name`() throws {
        let broker = try secureBroker()
        let world = try MqttWorld(.inline, broker)
        for (host, file, line) in [
            ("localhost", "ca.pem", "online"),
            ("127.0.0.1", "ca.pem", "no: the certificate of the broker is refused: IP address mismatch"),
            ("localhost", "other.pem", "no: the certificate of the broker is refused: "),
        ] {
            let app = try world.start(
                ("a", 0),
                config:
                    "broker = 'mqtts://\(host):\(broker.port)', ca_file = '\(broker.folder.url(file).path)'")
            let found = app.nextLine(with: line == "online" ? line : "certificate")
            #expect(found.hasPrefix(line), "\(found)")
            app.endInOrder()
        }
    }

    @Test func `a lost connection with TLS comes up again`() throws {
        let broker = try secureBroker()
        let world = try MqttWorld(.inline, broker)
        let app = try world.start(
            config:
                "broker = 'mqtts://localhost:\(broker.port)', ca_file = '\(broker.folder.url("ca.pem").path)'"
        )
        #expect(app.nextLine(with: "online") == "online")
        try broker.end()
        #expect(app.nextLine().hasPrefix("no: "))
        try broker.start()
        #expect(app.nextLine(with: "online") == "online")
        app.endInOrder()
    }

    /// Whether this user can put another file in the place of one, for one process.
    private static let canMount =
        (try? Shell.run("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/run"]).status) == 0

    @Test(.enabled(if: canMount))
    func `the end of the app does not wait for the lookup of a name`() throws {
        let world = try MqttWorld()
        // Nobody answers at this address. The lookup would take longer than the host waits for an end.
        try world.folder.write("resolv.conf", "nameserver 192.0.2.1\noptions timeout:30 attempts:5\n")
        try world.folder.write("app.toml", world.manifest([], config: "broker = 'mqtt://broker.example.com'"))
        let app = try RunningProgram(
            [
                "-m", "bash", "-c", "mount --bind resolv.conf /etc/resolv.conf && exec \"$0\" run --quiet",
                Project.spinhost,
            ], in: world.folder.root, program: "/usr/bin/unshare")
        #expect(app.nextLine() == "no: the client has not connected yet")
        app.endInOrder()
    }
}
