import Foundation
import TestSupport
import Testing

/// Journals that are damaged, and apps that crash again and again.
@Suite(.timeLimit(.minutes(10))) struct JournalTroubleTests {
    /// Adds the numbers that it reads, and pays each: 3 crashes while the file `bad` is there.
    private static let manifest = """
        app.name = "sum"

        [plugins.crash]
        library = "./crash.so"

        [loops.main]
        state     = { sum = 0 }
        events    = { number = { n = "int" } }
        on.number = { set = { sum = "state.sum + event.n" } }

        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "number", n = "int(value.text)" }, ended = [] }

        [loops.main.feedback.pay]
        TRIGGER
        effect = "crash:pay"
        emit   = []

        """
    private static let library = """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("crash", "1.0");
        static int64_t pay(const char *key, int64_t n) {
            spin_print(key);
            if (n == 3 && access("bad", F_OK) == 0)
                abort();
            return n;
        }
        SPIN_EFFECT(int64_t, pay, (const char *key, int64_t n), "Pays.");

        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func prepare(_ trigger: String = onEvent) throws {
        try folder.write("app.toml", Self.manifest.replacing("TRIGGER", with: trigger))
        try folder.write("bad", "")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(Self.library, in: folder, as: "crash.so", flags: ["-I\(include)"])
    }

    private func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root,
            environment: InterruptedRun.environment)
    }

    private func run(_ lines: [Int] = [], until text: String = "", _ options: String...) throws
        -> InterruptedRun
    {
        try InterruptedRun(lines, until: text, options, in: folder)
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.url(name).path)
    }

    // MARK: - An orderly end

    @Test func `an orderly end leaves the journal and its lock alone`() throws {
        try prepare()
        for number in [7, 8] {
            let text = "number(n: \(number))"
            let stopped = try run([number], until: text)
            #expect(stopped.output.contains(text), "\(stopped)")
            #expect(exists("run.journal") && exists("run.journal-lock"))
            #expect(!exists("run.journal-wal") && !exists("run.journal-shm"))
        }
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
    }

    // MARK: - Crashes

    /// Runs until the effect has crashed with the journal's third recovery.
    private func crash() throws {
        #expect(try run([1, 2, 3]).status == SIGABRT)
        for _ in 0..<3 {
            let again = try run()
            #expect(again.status == SIGABRT)
            #expect(again.errors.hasPrefix("recovered: 1 loop, 3 steps, "), "\(again.errors)")
        }
    }

    @Test func `the fourth recovery without a step is refused, with what was begun`() throws {
        try prepare()
        try crash()
        let refused = try run([4])
        #expect(refused.status == 69)
        #expect(refused.output == "")
        #expect(
            refused.errors == """
                error[J013]: `run.journal` was recovered 3 times within a minute, and no process made a step
                  = note: begun again each time: the effects of @5 (`main` #3, `number`)
                  = note: begun again each time: the effects of @2 (`main` #0)
                  = help: `--skip 5` continues without the effects of @5
                  = help: `--skip 2` continues without the effects of @2
                  = help: if they can succeed now, `--skip none` continues with all effects

                """)
        #expect(try run([4]).status == 69)
        try FileManager.default.removeItem(at: folder.url("bad"))
        let mended = try run([4], until: "number(n: 4)", "--skip", "none")
        #expect(mended.output.contains("main  #4  number(n: 4)  sum 6 → 10"), "\(mended)")
        // The run that crashed begins again, with its key.
        #expect(mended.output.contains(/\w{32}\/main\/pay\/3\n/))
        #expect(try run([5], until: "number(n: 5)").output.contains("sum 10 → 15"))
    }

    private static let onEvent = "on = \"number\"\nargs = [\"run.key\", \"event.n\"]"
    private static let onChange = "args = [\"run.key\", \"state.sum / 2\"]"
    private static let onState = "trigger = \"state\"\n" + onChange
    private static let onEach = "trigger = { each = \"[state.sum / 2]\" }\nargs = [\"run.key\", \"item\"]"

    @Test(arguments: [onEvent, onChange, onState, onEach])
    func `skipped effects are not begun again`(_ trigger: String) throws {
        try prepare(trigger)
        try crash()
        let skipped = try run([4], until: "number(n: 4)", "--skip", "@5")
        #expect(
            skipped.errors.hasPrefix("skipped: the effects of @5 (`main` #3, `number`) are not begun again\n")
        )
        #expect(skipped.output.contains("main  #4  number(n: 4)  sum 6 → 10"), "\(skipped)")
        let later = try run([5], until: "number(n: 5)")
        #expect(later.output.contains("main  #5  number(n: 5)  sum 10 → 15"), "\(later)")
    }

    @Test(arguments: [onEvent, onChange])
    func `a skip is kept when no step follows`(_ trigger: String) throws {
        try prepare(trigger)
        try crash()
        #expect(try run([], until: "#3", "--skip", "5").output == "main  #3  sum = 6\n")
        let later = try run([5], until: "number(n: 5)")
        #expect(later.output.contains("main  #4  number(n: 5)  sum 6 → 11"), "\(later)")
    }

    @Test func `orderly ends, and steps between, are no crash loop`() throws {
        try prepare()
        for number in 4...8 {
            #expect(try run([], until: "#0").output == "main  #0  sum = 0\n", "\(number)")
        }
        #expect(try run([3]).status == SIGABRT)
        #expect(try run().status == SIGABRT)
        #expect(try run().status == SIGABRT)
        try FileManager.default.removeItem(at: folder.url("bad"))
        #expect(try run([1], until: "number(n: 1)").output.contains("sum 3 → 4"))
        try folder.write("bad", "")
        #expect(try run([3]).status == SIGABRT)
        #expect(try run().status == SIGABRT)
    }

    @Test func `a position without a step is refused`() throws {
        try prepare()
        #expect(try run([1], until: "number(n: 1)").output.contains("sum 0 → 1"))
        let missing = try run([], "--skip", "99")
        #expect((missing.status, missing.errors) == (64, "error: `run.journal` has no step at @99\n"))
        #expect(try run([], "--skip", "1").status == 64)
        #expect(try run([], "--skip", "x").status == 64)
        #expect(try run([], "--skip", "2", "--restart").status == 64)
        #expect(try run([], "--until-damage", "--restart").status == 64)
    }

    // MARK: - Damage

    private func damage(_ statement: String) throws {
        let outcome = try Shell.run("/usr/bin/sqlite3", [folder.url("run.journal").path, statement])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a damaged journal continues before its damage, in a new file`() throws {
        try prepare()
        _ = try run([1, 2, 4, 5], until: "number(n: 5)")
        let chunk = "(select number from chunk where first > 5 order by number limit 1)"
        try damage("delete from snapshot; update chunk set data = data || x'00' where number = \(chunk)")
        let refused = try run()
        #expect(refused.status == 66)
        let place = try #require(refused.errors.firstMatch(of: /is damaged at @(\d+):/))
        let position = try #require(Int(place.1))
        #expect(
            refused.errors.contains(
                "  = help: `spinhost run --until-damage` continues from there in a new file\n"))
        let continued = try run([6], until: "number(n: 6)", "--until-damage")
        #expect(
            continued.errors.hasPrefix(
                "`run.journal` is damaged at @\(position): the app continues after @\(position - 1), and the old file is now `run.journal.damaged-1`\n"
            ), "\(continued.errors)")
        #expect(continued.output.contains("number(n: 6)"), "\(continued)")
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
        #expect(try spinhost("journal", "verify", "run.journal.damaged-1").status == 1)
        #expect(try run([7], until: "number(n: 7)", "--until-damage").output.contains("number(n: 7)"))
        #expect(!exists("run.journal.damaged-2") && !exists("run.journal-new"))
        // The lost part had the keys `…/3`, `…/4` and perhaps some of a second epoch.
        let keys = continued.output.matches(of: /\w{32}\/main\/pay\/(\S+)/).map { String($0.1) }
        let epoch = try #require(keys.last?.split(separator: ".").first.flatMap { Int($0) }, "\(keys)")
        #expect(epoch > 2)
    }

    @Test func `a journal that is damaged at its beginning cannot be continued`() throws {
        try prepare()
        _ = try run([1, 2], until: "number(n: 2)")
        try damage("delete from snapshot; update chunk set data = data || x'00' where number = 1")
        let refused = try run([], "--until-damage")
        #expect(refused.status == 66)
        #expect(refused.errors.contains("nothing before it can be read"), "\(refused)")
        #expect(!exists("run.journal.damaged-1"))
    }

    @Test func `a second process does not repair a journal that is in use`() throws {
        try prepare()
        let host = try RunningProgram(["run", "--steps", "--journal", "run.journal"], in: folder.root)
        _ = host.nextLine()
        #expect(try run([], "--until-damage").status == 69)
        kill(host.identifier, SIGKILL)
        _ = host.end()
    }
}
