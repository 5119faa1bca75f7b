import Foundation
import TestSupport
import Testing

/// `journal prune`, and `keep` in the manifest.
@Suite(.timeLimit(.minutes(10))) struct JournalPruneTests {
    private static let manifest = """
        app.name    = "sum"
        app.journal = { file = "run.journal", snapshot = "4KiB", KEEP }

        [loops.main]
        state     = { sum = 0, last = "" }
        events    = { number = { n = "int" } }
        on.number = { set = { sum = "state.sum + event.n", last = "'the number %d'.format([event.n])" } }

        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "number", n = "int(value.text)" }, ended = [] }

        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func prepare(keep: String = "keep = \"all\"") throws {
        try folder.write("app.toml", Self.manifest.replacing("KEEP", with: keep))
    }

    private func run(_ numbers: ClosedRange<Int>) throws {
        let last = "number(n: \(numbers.upperBound))"
        let run = try InterruptedRun(Array(numbers), until: last, in: folder)
        try #require(run.output.contains(last), "\(run)")
    }

    private func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root, environment: InterruptedRun.environment)
    }

    /// The position of the first entry that is there.
    private func first() throws -> Int? {
        let shown = try spinhost("journal", "show", "run.journal")
        #expect(shown.status == 0, "\(shown.errors)")
        return shown.output.split(separator: " ").first.flatMap { Int($0) }
    }

    private func size() throws -> Int {
        try Data(contentsOf: folder.url("run.journal")).count
    }

    @Test func `the oldest entries are removed, and the app continues`() throws {
        try prepare()
        try run(1...1_000)
        let size = try size()
        let pruned = try spinhost("journal", "prune", "run.journal", "--keep", "100")
        #expect(pruned.status == 0)
        let match = try #require(
            pruned.output.wholeMatch(of: /removed (\d+) entries: the first entry is @(\d+)\n/), "\(pruned)")
        let first = try #require(Int(match.2))
        #expect(Int(match.1) == first - 1)
        #expect((850...904).contains(first))
        #expect(try self.first() == first)
        #expect(try self.size() < size / 2)
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
        #expect(try spinhost("journal", "at", "run.journal", "1000").output.contains(#""sum":500500,"#))
        #expect(try spinhost("journal", "at", "run.journal", "@5").status == 1)
        let again = try spinhost("journal", "prune", "run.journal", "--keep", "100")
        #expect((again.status, again.output) == (0, "nothing to remove: the first entry is @\(first)\n"))
        try run(1...10)
        #expect(try spinhost("journal", "at", "run.journal", "1010").output.contains(#""sum":500555,"#))
        #expect(try spinhost("replay", "run.journal").status == 0)
    }

    @Test(arguments: [("1KiB", 900), ("7d", nil), ("all", nil), ("1", 1_000)])
    func `what stays can be a size, a time or a number`(_ keep: String, _ least: Int?) throws {
        try prepare()
        try run(1...1_000)
        let pruned = try spinhost("journal", "prune", "run.journal", "--keep", keep)
        #expect(pruned.status == 0)
        if let least {
            #expect(try #require(try first()) > least)
        } else {
            #expect(pruned.output == "nothing to remove: the first entry is @1\n")
        }
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
    }

    @Test func `a journal that an app writes to is not pruned`() throws {
        try prepare()
        let host = try RunningProgram(["run", "--steps"], in: folder.root)
        _ = host.nextLine()
        let refused = try spinhost("journal", "prune", "run.journal", "--keep", "1")
        #expect(refused.status == 69)
        #expect(
            refused.errors.hasPrefix(
                "error[J010]: `run.journal` is in use by process \(host.identifier) (app `sum`)\n"))
        kill(host.identifier, SIGTERM)
        _ = host.end()
    }

    @Test func `wrong words, missing files and damaged journals are refused`() throws {
        try prepare()
        #expect(try spinhost("journal", "prune", "run.journal", "--keep", "1").status == 66)
        #expect(!FileManager.default.fileExists(atPath: folder.url("run.journal").path))
        #expect(try spinhost("journal", "prune", "run.journal").status == 64)
        let wrong = try spinhost("journal", "prune", "run.journal", "--keep", "some")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("`some` is no time such as `7d`, size such as `2GiB`, or number"))
        try run(1...20)
        let damage = "update chunk set data = data || x'00' where number = 3; delete from snapshot"
        #expect(try Shell.run("/usr/bin/sqlite3", [folder.url("run.journal").path, damage]).status == 0)
        let size = try size()
        #expect(try spinhost("journal", "prune", "run.journal", "--keep", "1").status == 66)
        #expect(try self.size() == size)
    }

    @Test(arguments: ["keep = 100", "keep = \"1KiB\""])
    func `keep in the manifest removes what lies before a snapshot that is old enough`(_ keep: String) throws
    {
        try prepare(keep: keep)
        for _ in 0..<3 { try run(1...600) }
        let first = try #require(try first())
        // At least what the third process has read as it began is removed.
        #expect((600...1_800).contains(first))
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
        #expect(try spinhost("journal", "at", "run.journal", "1800").output.contains(#""sum":540900,"#))
    }

    @Test func `without keep, everything stays`() throws {
        try prepare()
        for _ in 0..<2 { try run(1...600) }
        #expect(try first() == 1)
    }
}
