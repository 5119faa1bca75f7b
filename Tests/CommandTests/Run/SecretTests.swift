import Foundation
import TestSupport
import Testing

struct SecretTests {
    private static let word = #"open "sesame" \ now"#

    /// Shows its secrets in every way that there is.
    private static let manifest = """
        app.name = "vault"
        [config]
        word  = { env = "VAULT_WORD" }
        file  = { file = "key.txt", doc = "Cut behind its line." }
        code  = { env = "VAULT_CODE", type = "int" }
        inner = { user = "ada", pass = { env = "VAULT_WORD" } }
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int puts(const char *text); long atol(const char *text);"
        [loops.main]
        state  = { word = "", all = "", n = 0 }
        events = { learnt = { word = "string", all = "string", n = "int" } }
        until  = "state.word != ''"
        [loops.main.on]
        learnt = { set = { word = "event.word", all = "event.all", n = "event.n" } }
        [loops.main.feedback]
        show  = { effect = "std:print", args = ["config.word + '/' + config.file + '/' + string(config.code)"] }
        fails = { effect = "libc:atol", args = ["config.word"], fails-if = "int(config.file) == result" }
        learn = { effect = "libc:atol", args = ["string(config.code)"], emit = { event = "learnt", word = "config.word", all = "'[' + config.file + config.inner.pass + ']'", n = "result" } }
        """

    private func run(_ arguments: String...) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        try folder.write("key.txt", "kept in a file\r\n")
        return try Shell.run(
            Project.spinhost, arguments, in: folder.root,
            environment: ["VAULT_WORD": Self.word, "VAULT_CODE": "918273", "NO_COLOR": "1"])
    }

    private func expectNone(in outcome: Shell.Outcome) {
        let text = outcome.output + outcome.errors
        for part in ["sesame", "kept", "918273"] { #expect(!text.contains(part), "\(text)") }
        #expect(text.contains("<secret>"))
    }

    @Test func secrets_areInNoStepLine_noFault_andNothingPrinted() throws {
        let outcome = try run("--steps")
        #expect(outcome.status == 0)
        #expect(outcome.output == "<secret>/<secret>/<secret>\n")
        #expect(outcome.errors.contains("[<secret><secret>]"))
        expectNone(in: outcome)
    }

    @Test func secrets_areInNoJSON() throws {
        let outcome = try run("--json")
        #expect(outcome.status == 0)
        for line in outcome.output.split(separator: "\n") {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        #expect(outcome.output.contains(#"{"print":"<secret>/<secret>/<secret>"}"#))
        #expect(
            outcome.output.contains(#""state":{"word":"<secret>","all":"[<secret><secret>]","n":"<secret>"}"#)
        )
        expectNone(in: outcome)
    }

    @Test func aSecret_thatIsOverridden_staysOne() throws {
        let outcome = try run("run", "--json", "--set", "word=another word", "--set", "code=x1y2z3")
        #expect(outcome.status == 64 || outcome.status == 78)
        #expect(!outcome.errors.contains("x1y2z3") && outcome.errors.contains("code=<secret>"))
        let good = try run("run", "--json", "--set", "word=another word")
        #expect(good.status == 0 && !good.output.contains("another"))
    }

    @Test func check_readsSecrets_andShowsNone() throws {
        let outcome = try run("check")
        #expect(outcome.status == 0 && outcome.errors == "")
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "config = { n = { file = \"key.txt\", type = \"int\" } }\n[loops.a]\n")
        try folder.write("key.txt", "kept in a file")
        let bad = try Spinhost.run("check", "--json", in: folder)
        #expect(bad.status == 1)
        #expect(bad.output.contains("the value of secret `n` does not convert to `i64`"))
        #expect(!bad.output.contains("kept"))
    }

    @Test func `a credential of systemd is a secret`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            config = { token = { credential = "token" } }
            [loops.main.feedback.show]
            effect = "std:print"
            args   = ["config.token + string(size(config.token))"]
            """)
        try FileManager.default.createDirectory(
            at: folder.url("credentials"), withIntermediateDirectories: false)
        try folder.write("credentials/token", "kept by systemd\n")
        let environment = ["CREDENTIALS_DIRECTORY": folder.url("credentials").path, "NO_COLOR": "1"]
        let outcome = try Spinhost.run("run", "--quiet", in: folder, environment: environment)
        #expect(outcome.output == "<secret>15\n" && outcome.errors == "" && outcome.status == 0)
        try FileManager.default.removeItem(at: folder.url("credentials/token"))
        let lost = try Spinhost.run("check", in: folder, environment: environment)
        #expect(lost.status == 1)
        #expect(lost.errors.contains("error[M075]: the credential cannot be read: there is no file"))
    }

    @Test(arguments: [
        (#"{ credential = "token" }"#, "there is no credential `token`: `CREDENTIALS_DIRECTORY` is not set"),
        (#"{ credential = "../token" }"#, "a credential cannot have the name `../token`"),
        (#"{ credential = "" }"#, "a credential cannot have the name ``"),
        (#"{ env = "PATH", credential = "token" }"#, "`env` and `credential` exclude one another"),
        (#"{ file = "a", credential = "token" }"#, "`file` and `credential` exclude one another"),
    ])
    func `a credential that cannot be read is a fault`(_ constant: String, _ message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "config = { token = \(constant) }\n[loops.main]\n")
        let outcome = try Spinhost.run("check", in: folder, environment: ["NO_COLOR": "1"])
        #expect(outcome.errors.contains("]: \(message)\n"), "\(outcome.errors)")
        #expect(outcome.status == 1)
    }
}
