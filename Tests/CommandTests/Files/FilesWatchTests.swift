import Foundation
import Glibc
import TestSupport
import Testing

/// Folders that apps watch through the plugin `files`.
@Suite(.timeLimit(.minutes(10))) struct FilesWatchTests {
    private let tree = "path = \"'in'\", recursive = true, present = true, settle = '20ms'"

    /// A folder with a file in it.
    private func makeWorld(_ mode: PluginMode = .inline) throws -> FilesWorld {
        let world = try FilesWorld(mode)
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("in"), withIntermediateDirectories: false)
        try world.put("in/old", "")
        return world
    }

    @Test(arguments: PluginMode.allCases)
    func `each change is an event`(_ mode: PluginMode) throws {
        let world = try makeWorld(mode)
        let app = try world.start(watch: tree)
        #expect(app.nextLine() == "present in")
        #expect(app.nextLine() == "present in/old")
        try world.put("in/new", "a")
        #expect(app.nextLine() == "created in/new")
        try world.put("in/new", "ab")
        #expect(app.nextLine() == "changed in/new")
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("in/a/b"), withIntermediateDirectories: true)
        #expect(app.nextLine() == "created in/a")
        #expect(app.nextLine() == "created in/a/b")
        try FileManager.default.moveItem(
            at: world.data.appendingPathComponent("in/new"), to: world.data.appendingPathComponent("in/a/b/c")
        )
        #expect(app.nextLine() == "moved in/new to in/a/b/c")
        try FileManager.default.removeItem(at: world.data.appendingPathComponent("in"))
        let lines = (1...5).map { _ in app.nextLine() }
        #expect(
            Set(lines) == [
                "removed in/a/b/c", "removed in/a/b", "removed in/a", "removed in/old", "removed in",
            ])
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("in"), withIntermediateDirectories: false)
        #expect(app.nextLine() == "created in")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `the app's own write is one change`(_ mode: PluginMode) throws {
        let world = try makeWorld(mode)
        let app = try world.start(watch: tree)
        #expect(app.nextLine(with: "old") == "present in/old")
        for _ in 1...3 {
            try app.write("write in/old=\(UUID().uuidString)")
            #expect(app.nextLine() == "done")
            #expect(app.nextLine() == "changed in/old")
        }
        app.endInOrder()
    }

    @Test func `a small mailbox loses no file`() throws {
        let world = try makeWorld()
        let app = try world.start(watch: tree, more: "mailbox = { capacity = 4, overflow = \"reject\" }")
        #expect(app.nextLine(with: "old") == "present in/old")
        for number in 1...500 { try world.put("in/\(number)", "") }
        #expect(Set((1...500).map { _ in app.nextLine() }) == Set((1...500).map { "created in/\($0)" }))
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `after a swap the app hears that it may have missed something`(_ mode: PluginMode) throws {
        let world = try makeWorld(mode)
        let host = try world.startSwappable(watch: tree)
        #expect(host.program.nextLine() == "present in")
        #expect(host.program.nextLine() == "present in/old")
        try host.swapChanged("files", "files.so")
        #expect(host.program.nextLine() == "rescan: the watch has begun again")
        #expect(host.program.nextLine() == "present in")
        #expect(host.program.nextLine() == "present in/old")
        try world.put("in/new", "")
        #expect(host.program.nextLine() == "created in/new")
        host.program.endInOrder()
    }

    @Test func `names that are not UTF-8 are left out, and the log says so once`() throws {
        let world = try makeWorld()
        let touch = try Shell.run(
            "/bin/sh", ["-c", #"touch "in/$(printf '\377')" "in/$(printf '\376')""#], in: world.data)
        #expect(touch.status == 0, "\(touch.errors)")
        let app = try world.start(watch: tree)
        #expect(app.nextLine() == "present in")
        #expect(app.nextLine() == "present in/old")
        kill(app.identifier, SIGTERM)
        let end = app.end()
        #expect(end.status == 0)
        let left = "names that are not UTF-8 are left out folder=in"
        #expect(end.errors.components(separatedBy: left).count == 2, "\(end.errors)")
    }

    @Test func `a link leads to another folder`() throws {
        let world = try makeWorld()
        try FileManager.default.createSymbolicLink(
            atPath: world.data.appendingPathComponent("current").path, withDestinationPath: "in")
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("next"), withIntermediateDirectories: false)
        let app = try world.start(watch: tree.replacing("'in'", with: "'current'"))
        #expect(app.nextLine() == "present current")
        #expect(app.nextLine() == "present current/old")
        try FileManager.default.moveItem(
            at: world.data.appendingPathComponent("in"), to: world.data.appendingPathComponent("before"))
        #expect(app.nextLine() == "removed current/old")
        #expect(app.nextLine() == "removed current")
        try FileManager.default.moveItem(
            at: world.data.appendingPathComponent("next"), to: world.data.appendingPathComponent("in"))
        #expect(app.nextLine() == "created current")
        try world.put("in/new", "")
        #expect(app.nextLine() == "created current/new")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a watch fails when a folder above its path is moved`(_ mode: PluginMode) throws {
        let world = try FilesWorld(mode)
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("a/b/in"), withIntermediateDirectories: true)
        let app = try world.start(watch: tree.replacing("'in'", with: "'a/b/in'"))
        #expect(app.nextLine() == "present a/b/in")
        try FileManager.default.moveItem(
            at: world.data.appendingPathComponent("a"), to: world.data.appendingPathComponent("other"))
        #expect(app.nextLine() == "-2 cannot watch `a/b`: the folder has gone, or was moved")
        app.endInOrder()
    }

    @Test func `a folder that is not there is a failure`() throws {
        let world = try FilesWorld()
        let app = try world.start(watch: tree.replacing("'in'", with: "'none/in'"))
        #expect(app.nextLine() == "-2 cannot watch `none`: No such file or directory")
        app.endInOrder()
    }
}
