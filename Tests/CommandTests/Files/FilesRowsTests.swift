import Foundation
import TestSupport
import Testing

/// Files of comma-separated values that apps read through the plugin `files`.
@Suite(.timeLimit(.minutes(10))) struct FilesRowsTests {
    /// An app that counts rows, and those whose number does not follow that of the one before. It prints both after
    /// each 5000 rows.
    private func manifest(_ mode: PluginMode, data: URL, more: String = "") -> String {
        let isolation =
            mode == .inline
            ? ""
            : """
            isolation = "process"
            sandbox = { read = ["\(data.path)"], write = ["\(data.path)"] }
            """
        return """
            app.name = "rows"
            app.sandbox = "best-effort"
            [plugins.files]
            library = "./files.so"
            config = { root = "\(data.path)" }
            \(isolation)
            [loops.main]
            state = { rows = 0, wrong = 0 }
            events = { row = { number = "int" }, ended = { rows = "int" } }
            mailbox = { capacity = 64, overflow = "reject" }
            [loops.main.on]
            ended = {}
            [loops.main.on.row.set]
            rows = "state.rows + 1"
            wrong = "state.wrong + (event.number == state.rows + 1 ? 0 : 1)"
            [loops.main.feedback.read]
            effect = "files:rows"
            \(more)
            args = { path = "'numbers.csv'", columns = "['number']" }
            emits.row = { event = "row", number = "int(value.fields[0])" }
            emits.damaged = []
            [loops.main.feedback.print]
            on = "row"
            when = "state.rows % 5000 == 0"
            effect = "std:print"
            args = ["'%d rows, %d wrong'.format([state.rows, state.wrong])"]
            [loops.main.feedback.end]
            on = "ended"
            effect = "std:print"
            args = ["'ended after %d rows'.format([event.rows])"]
            """
    }

    /// A folder with 20,000 rows.
    private func makeWorld(_ mode: PluginMode) throws -> FilesWorld {
        let world = try FilesWorld(mode)
        let rows = (1...20_000).map { "\"a \"\"name\"\"\n\",\($0)\n" }.joined()
        try world.put("numbers.csv", "name,number\n" + rows)
        try FileManager.default.copyItem(at: FilesWorld.library, to: world.folder.url("files.so"))
        return world
    }

    @Test(arguments: PluginMode.allCases)
    func `a swap neither loses a row nor repeats one`(_ mode: PluginMode) throws {
        let world = try makeWorld(mode)
        try world.folder.write("app.toml", manifest(mode, data: world.data))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        for round in 1...4 {
            #expect(host.program.nextLine() == "\(round * 5000) rows, 0 wrong")
            if round < 4 { try host.swapChanged("files", "files.so") }
        }
        #expect(host.program.nextLine() == "ended after 20000 rows")
        host.program.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `attempts whose time is over one after the other read all rows`(_ mode: PluginMode) throws {
        let world = try makeWorld(mode)
        let more = """
            timeout = "50ms"
            retry = 1000000
            """
        try world.folder.write("app.toml", manifest(mode, data: world.data, more: more))
        let app = try RunningProgram(["run", "--quiet"], in: world.folder.root)
        for round in 1...4 { #expect(app.nextLine() == "\(round * 5000) rows, 0 wrong") }
        #expect(app.nextLine() == "ended after 20000 rows")
        app.endInOrder()
    }
}
