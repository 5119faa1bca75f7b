import Foundation
import TestSupport
import Testing

/// `changes` of `spin:sqlite`, which tells when to read again.
@Suite(.timeLimit(.minutes(10))) struct SqliteChangesTests {
    @Test(arguments: PluginMode.allCases)
    func `a change of another process is noticed, and the app's own statements run meanwhile`(
        _ mode: PluginMode
    ) throws {
        let world = try SqliteWorld(mode)
        #expect(try world.lines([.execute("CREATE TABLE t (a)")]) == ["0 changes, id 0"])
        let app = try world.start(
            .query("SELECT count(*) AS n FROM t"), config: "poll_interval = '10ms'", gate: 0,
            more: "feedback.watch = { effect = 'db:changes' }")
        #expect(app.nextLine() == "changed")
        let other = try world.other("INSERT INTO t VALUES (1)")
        #expect(app.nextLine() == "changed")
        try app.write("again")
        #expect(app.nextLine() == "n: 1")
        #expect(app.end().status == 0)
        try other.closeInput()
        #expect(other.end().status == 0)
    }

    @Test func `it fails when the file is gone`() throws {
        let world = try SqliteWorld()
        let app = try world.start(
            SqliteCall(effect: "changes", arguments: []), config: "poll_interval = '10ms'")
        #expect(app.nextLine() == "changed")
        try FileManager.default.removeItem(at: world.database)
        #expect(
            app.nextLine(with: "-8")
                == "-8 the file was moved or deleted while it was open; start the app again")
        #expect(app.end().status == 0)
    }
}
