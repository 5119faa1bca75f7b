import Foundation
import TestSupport
import Testing

/// `journal migrate`, and secrets that change between two processes.
@Suite(.timeLimit(.minutes(10))) struct JournalMigrateTests {
    private static let manifest = """
        app.name = "sum"

        [loops.main]
        state     = { sum = "0", count = 0 }
        events    = { number = { n = "int" } }
        on.number = { set = { sum = "string(int(state.sum) + event.n)", count = "state.count + 1" } }

        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "number", n = "int(value.text)" }, ended = [] }

        [loops.other]
        state = { word = "a" }

        """
    private static let changed = manifest.replacing("sum = \"0\"", with: "sum = 0").replacing(
        "string(int(state.sum) + event.n)", with: "state.sum + event.n")

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        _ = try InterruptedRun([1, 2], until: "number(n: 2)", in: folder)
        try folder.write("app.toml", Self.changed)
    }

    private func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root, environment: InterruptedRun.environment)
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.url(name).path)
    }

    @Test func `a state gets the shape of the manifest, and the app continues`() throws {
        let refused = try InterruptedRun([], until: "", in: folder)
        #expect(refused.status == 78)
        #expect(
            refused.errors.contains(
                """
                  = help: convert it in `[loops.main.migrate]`, give the field another name, or begin a new journal with `--restart`
                  = help: `spinhost journal migrate run.journal --set 'state.FIELD = EXPRESSION'` converts the state

                """), "\(refused)")
        let migrated = try spinhost(
            "journal", "migrate", "run.journal", "--loop", "main", "--set", "state.sum = int(state.sum) * 10")
        #expect(migrated.status == 0)
        #expect(migrated.output == "migrated: 2 loops; the old file is kept as `run.journal.before-1`\n")
        #expect(migrated.errors == "")
        #expect(try spinhost("journal", "verify", "run.journal").status == 0)
        let at = try spinhost("journal", "at", "run.journal", "--", "-1").output
        #expect(at.contains(#""state":{"sum":30,"count":2}"#), "\(at)")
        let continued = try InterruptedRun([4], until: "number(n: 4)", in: folder)
        #expect(
            continued.output.contains("main  #3  number(n: 4)  sum 30 → 34, count 2 → 3"), "\(continued)")
        // The old file is whole, and continues with the old manifest.
        #expect(try spinhost("journal", "verify", "run.journal.before-1").status == 0)
        let old = try spinhost("journal", "at", "run.journal.before-1", "main#2").output
        #expect(old.contains(#""state":{"sum":"3","count":2}"#), "\(old)")
    }

    @Test func `a migration that is not needed changes nothing`() throws {
        try folder.write("app.toml", Self.manifest)
        let migrated = try spinhost("journal", "migrate", "run.journal")
        #expect(migrated.status == 0)
        #expect(migrated.output == "nothing to migrate: the states have the shape of the manifest\n")
        #expect(!exists("run.journal.before-1"))
        // Another field is enough, and needs no expression.
        try folder.write("app.toml", Self.manifest.replacing("count = 0 }", with: "count = 0, new = 1 }"))
        #expect(try spinhost("journal", "migrate", "run.journal").status == 0)
        #expect(exists("run.journal.before-1"))
    }

    @Test func `a state that does not fit, and wrong expressions, leave the file as it is`() throws {
        let before = try Data(contentsOf: folder.url("run.journal"))
        let refused = try spinhost("journal", "migrate", "run.journal")
        #expect(refused.status == 78)
        #expect(
            refused.errors == """
                error[P090]: loop `main` cannot keep its state: its field `sum` was `string`, and is `i64`
                 --> app.toml:3:8
                  |
                3 | [loops.main]
                  |        ^^^^
                  = help: give the field a value: `--set 'state.FIELD = EXPRESSION'`

                error: 1 fault in app.toml

                """)
        func check(_ set: String, _ status: Int32, _ text: String, loop: String = "main") throws {
            let outcome = try spinhost("journal", "migrate", "run.journal", "--loop", loop, "--set", set)
            #expect(outcome.status == status, "\(set): \(outcome)")
            #expect(outcome.errors.contains(text), "\(set): \(outcome)")
        }
        try check("sum = 3", 64, "`--set sum = 3` is not `state.FIELD = EXPRESSION`")
        try check("state.sun = 3", 64, "the state of `main` has no field `sun` in the manifest")
        try check("state.sun = 3", 64, "did you mean `sum`?")
        try check("state.sum = int(state.sun)", 78, "error[E011]: `state` has no field `sun`")
        try check("state.sum = state.sum", 78, "error[E017]")
        try check("state.sum = int(state.sum) / 0", 78, "error[E031]: `3 / 0` divides by zero")
        try check("state.sum = 1", 64, "did you mean `main`?", loop: "mian")
        let unnamed = try spinhost("journal", "migrate", "run.journal", "--set", "state.sum = 1")
        #expect(unnamed.status == 64)
        #expect(unnamed.errors.contains("name one with `--loop`: `main`, `other`"), "\(unnamed)")
        try folder.write("app.toml", Self.changed.replacing("\"sum\"", with: "\"other\""))
        #expect(try spinhost("journal", "migrate", "run.journal").status == 69)
        #expect(try spinhost("journal", "migrate", "missing.journal").status == 66)
        #expect(!exists("run.journal.before-1"))
        #expect(try Data(contentsOf: folder.url("run.journal")) == before)
    }

    @Test func `a journal that an app writes to is not migrated`() throws {
        try folder.write("app.toml", Self.manifest)
        let host = try RunningProgram(["run", "--steps", "--journal", "run.journal"], in: folder.root)
        _ = host.nextLine()
        try folder.write("app.toml", Self.changed)
        #expect(
            try spinhost("journal", "migrate", "run.journal", "--set", "state.sum = 1", "--loop", "main")
                .status == 69)
        kill(host.identifier, SIGTERM)
        _ = host.end()
    }

    @Test func `runs for states with other fields begin again, and others are counted`()
        throws
    {
        func manifest(_ state: String, _ event: String = "", _ value: String = "") -> String {
            """
            app.name = "slow"
            [loops.main]
            state     = { \(state) }
            events    = { number = { n = "int"\(event) } }
            on.number = { set = { sum = "state.sum + event.n" } }
            [loops.main.feedback]
            read = { effect = "std:lines", args = ["'-'"], emits = { line = { event = "number", n = "int(value.text)"\(value) }, ended = [] } }
            slow = { on = "number", strategy = "continue-on-new-state", effect = "std:every", args = ["1h"], emits = { ticked = [] } }

            """
        }
        let slow = try TemporaryFolder()
        try slow.write("app.toml", manifest("sum = 0"))
        _ = try InterruptedRun([1, 2], until: "number(n: 2)", in: slow)
        let again = try InterruptedRun([3], until: "number(n: 3)", in: slow)
        #expect(!again.errors.contains("warning"), "\(again)")
        try slow.write("app.toml", manifest("sum = 0, more = 0"))
        let wider = try InterruptedRun([4], until: "number(n: 4)", in: slow)
        #expect(!wider.errors.contains("warning"), "\(wider)")
        #expect(wider.errors.contains(#/[34] runs begun again/#), "\(wider)")
        try slow.write(
            "app.toml", manifest("sum = 0, more = 0", ", more = \"int\"", ", more = \"0\""))
        let changed = try InterruptedRun([5], until: "number(n: 5", in: slow)
        // The stop may have come before the last run began. Then this process begins it for the new state.
        #expect(
            changed.errors.contains(
                #/warning: [34] runs of effects on events cannot begin again: the states or events have another shape now\n/#
            ), "\(changed)")
        #expect(changed.output.contains("sum 10 → 15"), "\(changed)")
    }

    @Test func `a secret that has changed is named once, and its value is not in the file`() throws {
        try folder.write(
            "app.toml",
            Self.manifest.replacing("[loops.main]", with: "config.door = { env = \"DOOR\" }\n[loops.main]"))
        func run(_ secret: String) throws -> String {
            try Shell.run(
                Project.spinhost, ["--quiet", "--journal", "secret.journal"], in: folder.root,
                environment: ["DOOR": secret]
            ).errors
        }
        #expect(try run("an open door") == "")
        #expect(try run("an open door") == "")
        let warning = """
            warning[J012]: `config.door` has another value than in the last process that wrote `secret.journal`
              = note: states in the journal may still have the old text

            """
        #expect(try run("a shut door") == warning)
        #expect(try run("a shut door") == "")
        let content = try Data(contentsOf: folder.url("secret.journal"))
        #expect(content.range(of: Data("door".utf8)) != nil)
        for secret in ["an open door", "a shut door"] { #expect(content.range(of: Data(secret.utf8)) == nil) }
    }
}
