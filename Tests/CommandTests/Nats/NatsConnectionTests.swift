import Foundation
import TestSupport
import Testing

/// Connections of `nats` that are refused, lost or end.
@Suite(.timeLimit(.minutes(10))) struct NatsConnectionTests {
    @Test func `when the server is killed and comes again, calls wait and subscriptions hold`() throws {
        let world = try NatsWorld()
        let app = try world.start("in")
        #expect(app.nextLine(with: "online") == "online")
        try world.server.end()
        #expect(app.nextLine() == "no: the server has closed the connection")
        #expect(app.nextLine(with: "refused") == "no: cannot connect: Connection refused")
        try world.server.start()
        try app.write("publish in again")
        #expect(app.nextLine() == "online")
        #expect(app.nextLine() == "0 in again")
        app.endInOrder()
    }

    @Test func `without a server a call fails in time`() throws {
        let world = try NatsWorld()
        let app = try world.start(
            config: "servers = ['nats://127.0.0.1:1'], request_timeout = '10ms', reconnect_least = '1h', "
                + "reconnect_most = '1h'")
        #expect(app.nextLine(with: "refused") == "no: cannot connect: Connection refused")
        try app.write("publish a x")
        #expect(app.nextLine() == "-129 there is no connection: cannot connect: Connection refused")
        app.endInOrder()
    }

    @Test func `a wrong password is refused, and the log does not have it`() throws {
        let server = try NatsServer(#"authorization: { user: ada, password: "correct horse" }"#)
        let world = try NatsWorld(.inline, server)
        func start(_ password: String) throws -> RunningProgram {
            try world.folder.write(
                "app.toml", world.manifest([], config: "user = 'ada', password = { env = 'NATS_PASSWORD' }"))
            return try RunningProgram(
                ["run", "--quiet"], in: world.folder.root, environment: ["NATS_PASSWORD": password])
        }
        let wrong = try start("wrong horse")
        #expect(
            wrong.nextLine(with: "refuses") == "no: the server refuses the client: Authorization Violation")
        kill(wrong.identifier, SIGTERM)
        #expect(!wrong.end().errors.contains("wrong horse"))
        let right = try start("correct horse")
        #expect(right.nextLine(with: "online") == "online")
        right.endInOrder()
    }
}
