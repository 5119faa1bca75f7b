import TestSupport
import Testing

/// `spinhost journal diff`
struct JournalDiffTests {
    private let journal: RecordedJournal

    init() throws { journal = try RecordedJournal() }

    @Test func `two places differ in fields, and have events between them`() throws {
        let outcome = try journal.run("diff", "run.journal", "@3", "-1")
        #expect(outcome.status == 1 && outcome.errors == "")
        #expect(
            outcome.output == """
                a: n 0 → 3 (3 steps, 3 events of external)
                b: n 0 → 1 (1 step, 1 event of external)

                """)
        let back = try journal.run("diff", "run.journal", "-1", "a#1", "--loop", "a")
        #expect(back.status == 1)
        #expect(back.output == "a: n 3 → 1 (2 steps, 2 events of external in between, backwards)\n")
    }

    @Test func `equal places and journals are exit code 0`() throws {
        let same = try journal.run("diff", "run.journal", "@5", "b#1")
        #expect(same.status == 0 && same.output == "equal\n")
        try journal.add(
            "other.journal",
            RecordedJournal.lines.sorted { $0.0 < $1.0 }.map { ($0.0, $0.1, "2030-01-01T00:00:00Z") })
        let other = try journal.run("diff", "run.journal", "other.journal")
        #expect(other.status == 0 && other.output == "equal\n", "\(other.output)\(other.errors)")
    }

    @Test func `the first step that differs is named with its differences`() throws {
        try journal.add("other.journal", RecordedJournal.lines, name: "pear")
        let outcome = try journal.run("diff", "run.journal", "other.journal")
        #expect(outcome.status == 1)
        #expect(outcome.output == "a: step 0 differs (@2 and @2): name \"apple\" → \"pear\"\n")
    }

    @Test func `a journal that is longer, and one without a loop, differ`() throws {
        try journal.add("short.journal", Array(RecordedJournal.lines.prefix(4)))
        let outcome = try journal.run("diff", "run.journal", "short.journal")
        #expect(outcome.status == 1)
        #expect(outcome.output == "a: equal up to step 1, and `run.journal` has 2 steps more\n")
        try journal.add("alone.journal", RecordedJournal.lines.filter { $0.0 == "a" })
        let alone = try journal.run("diff", "run.journal", "alone.journal")
        #expect(alone.status == 1)
        #expect(alone.output == "b: only in `run.journal`\n")
        #expect(try journal.run("diff", "run.journal", "alone.journal", "--loop", "a").output == "equal\n")
    }

    @Test func `wrong arguments are refused`() throws {
        #expect(try journal.run("diff", "run.journal").status == 64)
        #expect(try journal.run("diff", "run.journal", "3").status == 64)
        #expect(try journal.run("diff", "run.journal", "1", "2", "3").status == 64)
        #expect(try journal.run("diff", "run.journal", "1", "x").status == 64)
        #expect(try journal.run("diff", "run.journal", "missing.journal").status == 66)
        #expect(try journal.run("diff", "run.journal", "app.toml").status == 66)
        let step = try journal.run("diff", "run.journal", "1", "9")
        #expect(step.status == 1 && step.errors == "error: `run.journal` has no step `9`\n")
        let loop = try journal.run("diff", "run.journal", "1", "2", "--loop", "c")
        #expect(loop.status == 1)
    }
}
