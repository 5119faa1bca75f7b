import Foundation
import TestSupport
import Testing

/// The ends of requests of `spin:http`: cancellations, the end of the app, and swaps.
@Suite(.timeLimit(.minutes(10))) struct HttpEndTests {
    @Test(arguments: PluginMode.allCases)
    func `a cancelled request ends at once, and emits nothing`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let app = try world.start(
            "request", "state.again ? 'PUT' : 'GET'", "state.again ? '/echo' : '/never'", "[]", "b''",
            more: """
                feedback.read = { effect = "std:lines", args = ["'-'"], emits.line = { event = "again" }, emits.ended = [] }
                """)
        #expect(world.server.nextLine() == "asked GET /never")
        try app.write("again")
        #expect(
            Set([world.server.nextLine(), world.server.nextLine()]) == ["gone /never", "asked PUT /echo"])
        #expect(app.nextLine().contains("PUT /echo|"))
        try app.closeInput()
        #expect(app.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `the end of the app ends a request`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let app = try world.start("get", "'/never'")
        #expect(world.server.nextLine() == "asked GET /never")
        app.endInOrder()
        #expect(world.server.nextLine() == "gone /never")
    }

    /// A host whose copy of the plugin the test changes.
    private func swappable(_ world: HttpWorld, _ effect: String, _ arguments: String...) throws
        -> ControlledHost
    {
        let folder = world.folder
        let library = Project.root.appendingPathComponent("build/plugins/http/http.so")
        try FileManager.default.copyItem(at: library, to: folder.url("http.so"))
        try folder.write(
            "app.toml",
            world.manifest(effect, [arguments]).replacing("spin:http", with: "./http.so"))
        return try ControlledHost(in: folder, ["--quiet"])
    }

    @Test(arguments: PluginMode.allCases)
    func `a swap continues a stream behind its last event`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let host = try swappable(world, "events", "'/events'", "[]")
        try world.server.write("go on")
        #expect(host.program.nextLine(with: "fourth") == "message fourth #4")
        try host.swapChanged("web", "http.so")
        #expect(host.program.nextLine() == "message after 4 #4")
        host.program.endInOrder()
    }

    @Test func `the next process of a journal continues a stream behind its last event`() throws {
        let world = try HttpWorld()
        try world.folder.write("app.toml", world.manifest("events", [["'/events'", "[]"]]))
        func start() throws -> RunningProgram {
            try RunningProgram(["run", "--quiet", "--journal", "run.journal"], in: world.folder.root)
        }
        let first = try start()
        try world.server.write("go on")
        #expect(first.nextLine(with: "fourth") == "message fourth #4")
        first.endInOrder()
        let second = try start()
        #expect(second.nextLine(with: "after") == "message after 4 #4")
        second.endInOrder()
    }

    @Test func `a swap makes a request again that has no answer yet`() throws {
        let world = try HttpWorld()
        let host = try swappable(world, "get", "'/never'")
        #expect(world.server.nextLine() == "asked GET /never")
        try host.swapChanged("web", "http.so")
        #expect(
            Set([world.server.nextLine(), world.server.nextLine()]) == ["gone /never", "asked GET /never"])
        try world.server.write("go on")
        #expect(host.program.nextLine() == "200 late")
        #expect(host.program.end().status == 0)
    }
}
