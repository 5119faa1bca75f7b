import Foundation
import TestSupport
import Testing

/// Recordings of apps with secrets: the host has replaced these by `<secret>`.
struct ReplaySecretTests {
    private static let secrets = ["VAULT_WORD": #"open "sesame" \ now"#, "VAULT_CODE": "918273"]

    /// An app that takes its secrets into its state, as a text, a part of one, a number and elements of a list.
    private static let manifest = """
        app.name = "vault"
        [config]
        word = { env = "VAULT_WORD" }
        code = { env = "VAULT_CODE", type = "int" }
        [loops.main]
        state  = { note = "", all = { type = "[string]" }, n = 0, codes = { type = "[int]" }, at = { part = "" } }
        events = { pushed = { by = "string" } }
        until  = "state.n == config.code + 2"
        [loops.main.on.pushed]
        set.note  = "config.word + event.by"
        set.all   = "['plain', config.word, event.by]"
        set.n     = "state.n == 0 ? config.code : state.n + 1"
        set.codes = "[1, config.code, -2]"
        set.at    = "{'part': event.by + config.word}"
        [loops.main.feedback]
        push = { effect = "std:every", args = ["1ms"], emit = { event = "pushed", by = "'Ada'" } }

        """

    /// Records a run of the first manifest, and replays it with the second one.
    private func replay(
        _ manifest: String = manifest, with other: String = manifest, _ arguments: String...
    ) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        let run = try Spinhost.run("run", "--json", in: folder, environment: Self.secrets)
        #expect(run.status == 0, "\(run.errors)")
        for secret in ["sesame", "918273"] { #expect(!run.output.contains(secret)) }
        try folder.write("run.jsonl", run.output)
        try folder.write("app.toml", other)
        return try Shell.run(
            Project.spinhost, ["replay", "run.jsonl"] + arguments, in: folder.root,
            environment: Self.secrets.merging(["NO_COLOR": "1"]) { $1 })
    }

    @Test func secretsInAState_areComparedAsTheRecordingHasThem() throws {
        let outcome = try replay()
        #expect(outcome.output == "identical: 3 steps\n", "\(outcome.errors)")
        #expect(outcome.status == 0)
    }

    @Test func aDifferenceBesideASecret_isShown_withoutTheSecret() throws {
        let other = Self.manifest.replacing(
            "config.word + event.by\"", with: "config.word + '/' + event.by\"")
        let outcome = try replay(with: other)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.hasPrefix(
                "error[M110]: `note` is \"<secret>/Ada\" now, and was \"<secret>Ada\"\n"),
            "\(outcome.errors)")
        let number = try replay(
            with: Self.manifest.replacing("[1, config.code, -2]", with: "[1, config.code, 3]"), "--json")
        #expect(number.status == 1)
        #expect(number.output.contains("`codes[2]` is 3 now, and was -2"), "\(number.output)")
        for text in [outcome.errors, number.output] {
            for secret in ["sesame", "918273"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func anotherValueThanTheSecret_isADifference() throws {
        let outcome = try replay(
            with: Self.manifest.replacing("[1, config.code, -2]", with: "[1, config.code + 1, -2]"))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("codes"), "\(outcome.errors)")
    }

    @Test func aSecretInAnEvent_isNamedAsTheReason_whenAStepDiffers() throws {
        let telling = Self.manifest.replacing("\"'Ada'\"", with: "\"config.word\"")
        #expect(try replay(telling, with: telling).output == "identical: 3 steps\n")
        let reading = telling.replacing(
            "config.word + event.by\"", with: "event.by == config.word ? 'let in' : 'kept out'\"")
        let outcome = try replay(reading, with: reading)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("`note` is \"kept out\" now, and was \"let in\""), "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "= note: the recording has `<secret>` in an event: the replay does not know the text there"),
            "\(outcome.errors)")
        let plain = try replay(with: Self.manifest.replacing("'plain'", with: "'other'"))
        #expect(!plain.errors.contains("= note: the recording has"), "\(plain.errors)")
    }
}
