import Foundation
import TestSupport
import Testing

/// Streams of JetStream that `nats` stores in and consumes, also across swaps and the end of a server.
@Suite(.timeLimit(.minutes(10))) struct NatsStreamTests {
    private static let streams = "jetstream: { store_dir: store }"

    @Test(arguments: PluginMode.allCases)
    func `a message is stored once, and done once`(_ mode: PluginMode) throws {
        let world = try NatsWorld(mode, NatsServer(Self.streams))
        let first = try world.start()
        try world.makeOrders(first)
        try first.write("store orders.a one 1")
        #expect(first.nextLine() == "stored 1 false")
        try first.write("store orders.a one 1")
        #expect(first.nextLine() == "stored 1 true")
        try first.write("store other.a x 2")
        #expect(first.nextLine() == "-130 no stream stores messages of this subject")
        first.endInOrder()
        let second = try world.start(more: NatsWorld.work)
        #expect(second.nextLine(with: "order") == "order 1 one")
        try second.write("store orders.b two 2")
        #expect([second.nextLine(), second.nextLine()].sorted() == ["order 2 two", "stored 2 false"])
        second.endInOrder()
    }

    @Test func `a consumer that is not there is asked for again`() throws {
        let world = try NatsWorld(.inline, NatsServer(Self.streams))
        let app = try world.start(more: NatsWorld.work)
        #expect(app.nextLine(with: "unavailable") == "unavailable stream not found")
        try world.makeOrders(app)
        try app.write("store orders.a one 1")
        // The app may ask when the stream is made, and the consumer is not.
        func next() -> String {
            let line = app.nextLine()
            return line.hasPrefix("unavailable") ? next() : line
        }
        #expect([next(), next()].sorted() == ["order 1 one", "stored 1 false"])
        app.endInOrder()
    }

    @Test func `swaps lose no message of a stream`() throws {
        let world = try NatsWorld(.inline, NatsServer(Self.streams))
        let maker = try world.start()
        try world.makeOrders(maker)
        maker.endInOrder()
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: NatsWorld.library), to: world.folder.url("nats.so"))
        try world.folder.write("app.toml", world.manifest([], library: "./nats.so", more: NatsWorld.work))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine(with: "online") == "online")
        var found: Set<String> = []
        for round in 0..<3 {
            try world.server.publishNumbers("orders.number", upTo: 100)
            try host.swapChanged("nats", "nats.so")
            while found.count < (round + 1) * 100 {
                let line = host.program.nextLine(with: "order")
                #expect(!line.isEmpty)
                found.insert(line)
            }
        }
        #expect(found.contains("order 300 100"))
        host.program.endInOrder()
    }
}
