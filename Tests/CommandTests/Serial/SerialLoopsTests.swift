import Foundation
import TestSupport
import Testing

/// Two loops of an app that use one port of the plugin `serial`.
@Suite(.timeLimit(.minutes(10))) struct SerialLoopsTests {
    /// An app whose loop `reads` prints the lines of the port. Its loop `writes` writes what it reads from its input.
    private func start(_ world: SerialWorld, _ instance: String) throws -> RunningProgram {
        let watch = """
            effect = "port:open"
            emits.opened = { event = "said", text = "NAME + ': opened'" }
            emits.closed = { event = "said", text = "NAME + ': ' + value.reason" }
            """
        return try world.folder.start(
            """
            app.name = "shared"
            [plugins.port]
            library = "\(SerialWorld.library.path)"
            config = { device = "\(world.port.path)" }
            \(instance)
            [loops.reads]
            state  = { said = 0 }
            events = { said = { text = "string" } }
            on.said = { set = { said = "state.said + 1" } }
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            [loops.reads.feedback.read]
            effect = "port:lines"
            emits.line = { event = "said", text = "value.text" }
            emits.damaged = []
            [loops.reads.feedback.watch]
            \(watch.replacing("NAME", with: "'reads'"))
            [loops.writes]
            state  = { said = 0 }
            events = { said = { text = "string" }, typed = { text = "string" } }
            on.said = { set = { said = "state.said + 1" } }
            on.typed = {}
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            feedback.write = { effect = "port:write", on = "typed", args = { data = "bytes(event.text)" } }
            [loops.writes.feedback.input]
            effect = "std:lines"
            args   = { path = "'-'" }
            emits.line  = { event = "typed", text = "value.text" }
            emits.ended = []
            [loops.writes.feedback.watch]
            \(watch.replacing("NAME", with: "'writes'"))
            """)
    }

    @Test func `loops that share an instance share its port`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        let app = try start(world, "instance = \"app\"")
        #expect(Set([app.nextLine(), app.nextLine()]) == ["reads: opened", "writes: opened"])
        try app.write("typed")
        #expect(peer.receivedText(5) == "typed")
        peer.send("line\n")
        #expect(app.nextLine() == "line")
        app.endInOrder()
    }

    @Test func `without that, one of them finds the port locked, and says so`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        let app = try start(world, "")
        let lines = [app.nextLine(), app.nextLine()]
        #expect(lines.filter { $0.hasSuffix(": opened") }.count == 1, "\(lines)")
        let reason = "it is locked by another program, or by another loop of this app"
        let locked = ": cannot open `\(world.port.path)`: \(reason)"
        #expect(lines.filter { $0.hasSuffix(locked) }.count == 1, "\(lines)")
        app.endInOrder()
        #expect(peer.settings.c_lflag != 0)
    }
}
