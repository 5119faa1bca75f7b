import TestSupport
import Testing

/// Places in a journal, as the user names them.
struct JournalPlaceTests {
    private let journal: RecordedJournal

    init() throws { journal = try RecordedJournal() }

    /// `a` and `b` at a place.
    private func states(_ place: String, zone: String = "UTC") throws -> String {
        let at = try journal.run("at", "run.journal", place, zone: zone)
        try #require(at.status == 0, "\(place): \(at.errors)")
        return at.output.matches(of: /"n":(\d+)/).map { String($0.1) }.joined(separator: " ")
    }

    @Test(arguments: [
        ("1", "1 0"), ("a#2", "2"), ("b#1", "1"), ("b#0", "0"), ("@4", "1 0"), ("@2", "0"),
        ("-1", "3 1"), ("-2", "2 1"), ("-4", "0"), ("a#-2", "2"), ("b#-1", "1"),
    ])
    func `a step, a position and a number from the end`(_ place: String, _ states: String) throws {
        #expect(try self.states(place) == states)
    }

    @Test(arguments: [
        ("2026-11-23 11:44:23", "1 1"), ("2026-11-23 11:44:23.2", "1 0"), ("2026-11-23T11:44:23.25", "1 0"),
        ("2026-11-23T11:44:23Z", "1 1"), ("2026-11-23T12:44:23+01:00", "1 1"), ("2026-11-23 11:44", "2 1"),
        ("2026-11-23", "2 1"), ("2026-11-23 11:44:22", "0 0"), ("8:00", "3 1"), ("07:59", "2 1"),
        ("2030-01-01", "3 1"),
    ])
    func `a time means the states after all entries of its last digit`(_ place: String, _ states: String)
        throws
    {
        #expect(try self.states(place) == states)
    }

    @Test func `a time is local, and a time of the day is that of the last day`() throws {
        #expect(try states("2026-11-23 20:44:23", zone: "JST-9") == "1 1")
        #expect(try states("17:00", zone: "JST-9") == "3 1")
        #expect(try states("16:59", zone: "JST-9") == "2 1")
        #expect(try states("2026-11-23T11:44:23Z", zone: "JST-9") == "1 1")
    }

    @Test(arguments: [
        ("a#4", "error: `run.journal` has no step `a#4` of loop `a`\n"),
        ("c#1", "error: `run.journal` has no step `c#1` of loop `c`\n"),
        ("9", "error: `run.journal` has no step `9`\n"), ("-9", "error: `run.journal` has no step `-9`\n"),
        ("@8", "error: `run.journal` has no position `@8`\n"),
        ("@0", "error: `run.journal` has no position `@0`\n"),
        ("2026-11-22", "error: `run.journal` has no entry by `2026-11-22`\n"),
    ])
    func `a place that is not there is named`(_ place: String, _ message: String) throws {
        let at = try journal.run("at", "run.journal", place)
        #expect(at.status == 1 && at.output == "")
        #expect(at.errors == message)
    }

    @Test(arguments: [
        "", "x", "+1", "a#+1", "a#", "a#x", "@", "@x", "-0", "-x", "--", "1.5", "25:00", "11:60", "11:44:60",
        "11:44:23.",
        "11:44Z", "2026-13-01", "2026-02-30", "2026-11-23x", "2026-11-23 ", "0001-01-01", "9999-01-01",
        "2026-11-23T11:44:23+1", "99999999999999999999",
    ])
    func `other text is a usage error that shows the forms`(_ place: String) throws {
        let at = try journal.run("at", "run.journal", place)
        #expect(at.status == 64)
        #expect(at.output == "")
        let diff = try journal.run("diff", "run.journal", "1", place)
        #expect(diff.status == 64)
        guard !place.hasPrefix("-") else { return }
        #expect(at.errors.contains("`\(place)` is no place in a journal: write `12`, `LOOP#12`, `@4711`"))
    }

    @Test(arguments: [
        (["--from", "6"], "6 7"), (["--to", "2"], "1 2"), (["--from", "-2"], "6 7"), (["--to", "-6"], "1 2"),
        (["--from", "@3", "--to", "@4"], "3 4"), (["--from", "b#1", "--to", "a#2"], "5 6"),
        (["--from", "2026-11-23 11:44:23", "--to", "2026-11-23 11:44:23"], "4 5"), (["--from", "8:00"], "7"),
        (["--from", "99"], ""), (["--loop", "b"], "3 5"), (["--from", "2026-11-23 11:44:23.3"], "5 6 7"),
        (["--kind", "start"], "2 3"), (["--kind", "start,epoch"], "1 2 3"), (["--kind", "fault"], ""),
        (["--event", "set", "--loop", "a", "--from=-3"], "6 7"),
    ])
    func `show prints the entries between two places`(_ options: [String], _ positions: String) throws {
        let shown = try Shell.run(
            Project.spinhost, ["journal", "show", "run.journal"] + options, in: journal.folder.root,
            environment: ["TZ": "UTC"])
        #expect(shown.status == 0, "\(shown.errors)")
        let found = shown.output.split(separator: "\n").map { $0.prefix { $0.isNumber } }
        #expect(found.joined(separator: " ") == positions)
    }

    @Test func `wrong options of show are usage errors`() throws {
        let kind = try journal.run("show", "run.journal", "--kind", "step,foo")
        #expect(kind.status == 64)
        #expect(
            kind.errors.contains(
                "`foo` is no kind of entry: write one or several of start, step, refused, sent, fault, swap, epoch, end"
            ))
        #expect(try journal.run("show", "run.journal", "--from", "x").status == 64)
        #expect(try journal.run("show", "run.journal", "--from", "5", "--to", "4").status == 64)
        #expect(try journal.run("show", "run.journal", "--follow", "--to", "4").status == 64)
        #expect(try journal.run("show", "run.journal", "--from", "a#9").status == 1)
        #expect(try journal.run("show", "run.journal", "--to", "2026-11-22").status == 1)
    }
}
