import Foundation
import TestSupport
import Testing

/// `spinhost journal` with names and steps that a journal does not have.
struct JournalReadingTests {
    private static let manifest = """
        app.name = "half"

        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"

        [loops.main]
        state     = { n = 8, name = "apple" }
        events    = { halved = { from = "int" } }
        on.halved = { set = { n = "event.from / 2" } }
        until     = "state.n == 0"

        [loops.main.feedback.half]
        effect = "libc:abs"
        args   = ["state.n"]
        emit   = { event = "halved", from = "result" }
        """

    /// A folder with `run.journal`, whose loop `main` has four steps.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        let run = try Spinhost.run("--quiet", "--journal", "run.journal", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        return folder
    }

    @Test(arguments: [("--loop", "mian", "loop"), ("--event", "havled", "event")])
    func show_ofAnUnknownName_saysSo(_ option: String, _ name: String, _ what: String) throws {
        let folder = try Self.folder()
        let shown = try Spinhost.run("journal", "show", "run.journal", option, name, in: folder)
        #expect(shown.status == 1)
        #expect(shown.output == "")
        #expect(shown.errors == "error: `run.journal` has no \(what) `\(name)`\n")
    }

    @Test func show_ofAKnownName_thatHasNoEntries_printsNothing() throws {
        let folder = try Self.folder()
        let shown = try Spinhost.run(
            "journal", "show", "run.journal", "--event", "halved", "--to", "2", in: folder)
        #expect(shown.status == 0 && shown.output == "" && shown.errors == "")
    }

    @Test func at_afterTheDamage_saysThatTheJournalIsDamaged() throws {
        let folder = try Self.folder()
        let damage = """
            sqlite3 run.journal "VACUUM INTO 'copy.journal'" && LC_ALL=C sed -i 's/apple/maple/' copy.journal
            """
        try #require(try Shell.run("bash", ["-c", damage], in: folder.root).status == 0)
        let shown = try Spinhost.run("journal", "at", "copy.journal", "3", in: folder)
        #expect(shown.status == 66)
        // The first chunk may have the begin of the process alone.
        #expect(shown.errors.contains(#/^error\[J002\]: `copy.journal` is damaged at @[12]: /#))
    }

    @Test func at_ofAStepThatIsNotThere_isExit1() throws {
        let folder = try Self.folder()
        let shown = try Spinhost.run("journal", "at", "run.journal", "5", in: folder)
        #expect(shown.status == 1 && shown.output == "")
        #expect(shown.errors == "error: `run.journal` has no step `5`\n")
    }

    @Test(arguments: [
        ["journal", "show", "run.journal"], ["journal", "at", "run.journal", "-1"],
        ["journal", "diff", "run.journal", "0", "2"], ["journal", "verify", "run.journal"],
        ["journal", "verify", "run.journal", "--reduce"], ["journal", "export", "run.journal"],
        ["journal", "show", "run.journal", "--loop", "none"], ["replay", "run.journal"],
        ["test", "--journal", "run.journal"],
    ])
    func `a verb that reads leaves no file behind`(_ arguments: [String]) throws {
        let folder = try Self.folder()
        _ = try Shell.run(Project.spinhost, arguments, in: folder.root)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() == [
                "app.toml", "run.journal", "run.journal-lock",
            ])
    }
}
