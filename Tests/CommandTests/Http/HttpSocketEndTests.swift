import Foundation
import TestSupport
import Testing

/// The ends of WebSockets of `spin:http`: by either side, cancellations, the end of the app, and swaps.
@Suite(.timeLimit(.minutes(10))) struct HttpSocketEndTests {
    @Test func `a connection that has ended is made again`() throws {
        let world = try SocketWorld()
        let app = try world.open()
        try world.server.write("/socket close 4000 over")
        #expect(app.nextLine() == "/socket closed 4000 over")
        // The plugin has answered the close frame, and has let the server end the connection.
        #expect(world.server.nextLine() == "/socket close 4000 over")
        #expect(world.server.nextLine() == "/socket gone")
        #expect(world.server.nextLine() == "/socket asked")
        #expect(app.nextLine() == "/socket opened ")
        try app.write("text again")
        #expect(world.server.nextLine() == "/socket text again")
        try world.server.write("/socket drop")
        #expect(
            app.nextLine()
                == "/socket closed 1006 the server has ended the connection without closing the WebSocket")
        #expect(world.server.nextLine() == "/socket gone")
        #expect(world.server.nextLine() == "/socket asked")
        #expect(app.nextLine() == "/socket opened ")
        app.endInOrder()
    }

    @Test(arguments: [1001, 1012, 1014])
    func `a server that is restarted closes with a code for it`(_ code: Int) throws {
        let world = try SocketWorld()
        let app = try world.open()
        try world.server.write("/socket close \(code) grüß Gott")
        #expect(app.nextLine() == "/socket closed \(code) grüß Gott")
        #expect(world.server.nextLine() == "/socket close \(code) grüß Gott")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a cancellation closes the connection in order`(_ mode: PluginMode) throws {
        let world = try SocketWorld(mode)
        let app = try world.open()
        try app.write("mute")
        #expect(world.server.nextLine() == "/socket close 1000 ")
        #expect(world.server.nextLine() == "/socket gone")
        app.endInOrder()
    }

    @Test func `a cancellation ends a connection that is not open yet`() throws {
        let world = try SocketWorld()
        let app = try world.start("/never")
        #expect(world.server.nextLine() == "/never asked")
        try app.write("mute")
        #expect(world.server.nextLine() == "/never gone")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `the end of the app closes the connection in order`(_ mode: PluginMode) throws {
        let world = try SocketWorld(mode)
        let app = try world.open()
        app.endInOrder()
        #expect(world.server.nextLine() == "/socket close 1000 ")
        #expect(world.server.nextLine() == "/socket gone")
    }

    @Test func `a server that does not answer the close is not waited for`() throws {
        let world = try SocketWorld()
        let app = try world.open("/silent")
        try app.write("close 1000 over")
        #expect(
            app.nextLine() == "/silent closed 1006 the server has not ended the closed connection within 2 s")
        #expect(
            [world.server.nextLine(), world.server.nextLine()] == ["/silent close 1000 over", "/silent gone"])
        app.endInOrder()
        let next = try world.open("/silent")
        next.endInOrder()
        #expect(
            [world.server.nextLine(), world.server.nextLine()] == ["/silent close 1000 ", "/silent gone"])
    }

    @Test func `a swap closes the connection in order, and the new version makes its own`() throws {
        let world = try SocketWorld()
        let library = Project.root.appendingPathComponent("build/plugins/http/http.so")
        try FileManager.default.copyItem(at: library, to: world.folder.url("http.so"))
        try world.folder.write(
            "app.toml", world.manifest(["/socket"]).replacing("spin:http", with: "./http.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"], environment: ["no_proxy": "127.0.0.1"])
        #expect(world.server.nextLine() == "/socket asked")
        #expect(host.program.nextLine() == "/socket opened ")
        try host.swapChanged("web", "http.so")
        #expect(
            (0..<3).map { _ in world.server.nextLine() } == [
                "/socket close 1000 ", "/socket gone", "/socket asked",
            ])
        #expect(host.program.nextLine() == "/socket opened ")
        try world.server.write("/socket text still here")
        #expect(host.program.nextLine() == "/socket text still here")
        host.program.endInOrder()
    }

    /// A library that others have written, with the extension for compression that the plugin does not offer.
    @Test func `it speaks with another implementation`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "echo.py",
            """
            import asyncio, websockets

            async def answer(socket, *_):
                async for message in socket:
                    await socket.send(message)

            async def serve():
                async with websockets.serve(answer, "127.0.0.1", 0, subprotocols=["echo"], max_size=None) as server:
                    print(server.sockets[0].getsockname()[1], flush=True)
                    await asyncio.Future()

            asyncio.run(serve())
            """)
        let server = try RunningProgram(["echo.py"], in: folder.root, program: "/usr/bin/python3")
        let port = try #require(Int(server.nextLine()))
        let url = "ws://127.0.0.1:\(port)"
        let world = try SocketWorld()
        let app = try world.start(url, offer: ("['other', 'echo']", "[]"))
        #expect(app.nextLine() == "\(url) opened echo")
        try app.write("text grüß Gott")
        #expect(app.nextLine() == "\(url) text grüß Gott")
        try app.write("binary " + String(repeating: "x", count: 1_000_000))
        #expect(app.nextLine() == "\(url) 1000000 bytes")
        try app.write("close 1000 done")
        #expect(app.nextLine() == "\(url) closed 1000 done")
        app.endInOrder()
    }
}
