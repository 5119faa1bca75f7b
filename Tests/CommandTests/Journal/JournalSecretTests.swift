import Foundation
import TestSupport
import Testing

/// Secrets that an app has put into its state, in what the verbs of `journal` print.
struct JournalSecretTests {
    private static let secrets = ["VAULT_WORD": "open sesame", "NO_COLOR": "1"]

    private static let manifest = """
        app.name = "vault"
        [config]
        word = { env = "VAULT_WORD" }
        [loops.main]
        state  = { note = "", n = 0 }
        events = { pushed = { by = "string" } }
        until  = "state.n == 2"
        on.pushed = { set = { note = "event.by", n = "state.n + 1" } }
        [loops.main.feedback.push]
        effect = "std:every"
        args   = ["1ms"]
        emit   = { event = "pushed", by = "config.word + '!'" }

        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        let run = try Spinhost.run(
            "run", "--quiet", "--journal", "run.journal", in: folder, environment: Self.secrets)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func journal(_ arguments: [String], _ environment: [String: String] = secrets) throws
        -> Shell.Outcome
    {
        try Shell.run(
            Project.spinhost, ["journal"] + arguments, in: folder.root, environment: environment)
    }

    @Test(arguments: [
        ["show", "run.journal"], ["show", "run.journal", "--json"], ["at", "run.journal", "-1"],
        ["at", "run.journal", "-1", "--why", "note"], ["diff", "run.journal", "0", "1"],
        ["export", "run.journal"], ["export", "run.journal", "--test", "main", "1..2"],
    ])
    func `secrets are replaced, unless the user asks for them`(_ arguments: [String]) throws {
        let hidden = try journal(arguments)
        #expect(hidden.output.contains("<secret>!"), "\(hidden.errors)")
        #expect(!hidden.output.contains("sesame") && hidden.errors == "")
        let shown = try journal(arguments + ["--secrets"])
        #expect(shown.output.contains("open sesame!") && !shown.output.contains("<secret>"))
    }

    @Test func `a database has no secrets either`() throws {
        #expect(try journal(["export", "run.journal", "--sql", "run.sql"]).status == 0)
        let rows = try Shell.run(
            "sqlite3", [folder.url("run.sql").path, "SELECT payload, changes FROM steps"])
        #expect(rows.output.contains("<secret>!") && !rows.output.contains("sesame"))
    }

    @Test func `a secret that is not known here is an error`() throws {
        let outcome = try journal(["at", "run.journal", "-1"], ["NO_COLOR": "1"])
        #expect(outcome.status == 66 && outcome.output == "")
        #expect(outcome.errors.contains("there is no environment variable `VAULT_WORD`"))
        #expect(
            outcome.errors.hasSuffix(
                "error: `run.journal` may have that secret; `--secrets` prints states as they are\n"))
        #expect(try journal(["at", "run.journal", "-1", "--secrets"], [:]).output.contains("open sesame!"))
    }

    @Test func `without the manifest, a warning says that secrets are printed`() throws {
        try folder.write("vault.toml", Self.manifest)
        try folder.write("app.toml", Self.manifest.replacing("\"vault\"", with: "\"door\""))
        let warned = try journal(["at", "run.journal", "-1"])
        #expect(warned.status == 0 && warned.output.contains("open sesame!"))
        #expect(
            warned.errors == """
                warning: the manifest of `run.journal` is not known here: `app.toml` is of another app, so its \
                secrets are not replaced; name it with `--manifest`, or say `--secrets`

                """)
        let named = try journal(["at", "run.journal", "-1", "--manifest", "vault.toml"])
        #expect(named.errors == "" && named.output.contains("<secret>!"))
        let before = try Shell.run(
            Project.spinhost, ["--manifest", "vault.toml", "journal", "at", "run.journal", "-1"],
            in: folder.root, environment: Self.secrets)
        #expect(before.errors == "" && before.output.contains("<secret>!"))
    }

    @Test func `the manifest that the user names is read, also if it is the default one`() throws {
        // The journal names `vault.toml`, which is of another app now.
        try folder.write("vault.toml", Self.manifest)
        let run = try Spinhost.run(
            "run", "--manifest", "vault.toml", "--quiet", "--journal", "other.journal", in: folder,
            environment: Self.secrets)
        try #require(run.status == 0, "\(run.errors)")
        try folder.write("vault.toml", Self.manifest.replacing("\"vault\"", with: "\"door\""))
        #expect(try journal(["at", "other.journal", "-1"]).output.contains("open sesame!"))
        for arguments in [
            ["at", "other.journal", "-1", "--manifest", "app.toml"],
            ["at", "--manifest=app.toml", "other.journal", "-1"],
        ] {
            let named = try journal(arguments)
            #expect(named.errors == "" && named.output.contains("<secret>!"), "\(named)")
        }
        let before = try Shell.run(
            Project.spinhost, ["--manifest", "app.toml", "journal", "at", "other.journal", "-1"],
            in: folder.root, environment: Self.secrets)
        #expect(before.errors == "" && before.output.contains("<secret>!"), "\(before)")
    }
}
