import TestSupport
import Testing

/// What the host says of entries of included plugins that somebody gets wrong.
struct IncludedPluginHintTests {
    private static let loop = """
        [loops.main]
        state  = {}
        events = { answered = {}, changed = {} }
        on     = { answered = {}, changed = {} }

        """

    @Test(arguments: [
        (
            "[plugins.redis]\nlibrary = \"redis\"\n", "",
            "help: a plugin of this name comes with the host: `[plugins.redis]` with `library = \"spin:redis\"`"
        ),
        (
            "", "a = { effect = \"redis:command\", args = [\"['PING']\"] }",
            "help: a plugin of this name comes with the host: `[plugins.redis]` with `library = \"spin:redis\"`"
        ),
        ("[plugins.redis]\nlibrary = \"spin:Redis\"\n", "", "help: did you mean `spin:redis`?"),
        ("[plugins.redis]\nlibrary = \"spin:redi\"\n", "", "help: did you mean `spin:redis`?"),
        (
            "[plugins.std]\nlibrary = \"spin:std\"\n", "",
            "help: `std` needs no entry: call its effects, such as `std:print`"
        ),
        (
            "[plugins.gpio]\nlibrary = \"spin:gpio\"\n", "",
            """
              = help: give `chip` in `config`: its type is `string`
              = help: `chip`: The path, the name or the label of the chip.
            """
        ),
        (
            "[plugins.files]\nlibrary = \"spin:files\"\nconfig = { root = \".\" }\n",
            "a = { effect = \"files:watch\", args = [\"'in'\", \"false\", \"false\", \"duration('1s')\"] }",
            "no event is mapped to the emissions `"
        ),
        (
            "[plugins.files]\nlibrary = \"spin:files\"\nconfig = { root = \".\" }\n",
            "a = { effect = \"files:glob\", args = [\"'*'\"], emits.changed = { event = \"changed\" } }",
            "warning[M053]: `glob` does not seem to emit `changed`, which its plugin declares"
        ),
    ])
    func `check says what was probably meant`(_ plugin: String, _ feedback: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", plugin + Self.loop + "[loops.main.feedback]\n" + feedback + "\n")
        let outcome = try Spinhost.run("check", in: folder)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: [
        (#"config = { server = "127.0.0.1:6379" }"#, #"config = { server = "127.0.0.1:6379" }"#, 20..<36),
        (
            #"config = { server = "redis://h", reconnect_least = "2m" }"#,
            #"config = { server = "redis://h", reconnect_least = "2m" }"#, 51..<55
        ),
        (#"config = { server = "redis://h", reconnect_most = "20ms" }"#, "[plugins.db]", 9..<11),
    ])
    func `a setting that the plugin refuses is underlined`(
        _ config: String, _ line: String, _ columns: Range<Int>
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [plugins.db]
            library = "spin:redis"
            \(config)

            """ + Self.loop
                + #"feedback.a = { effect = "db:command", args = ["['PING']"], emits.answered = [] }"#)
        let outcome = try Spinhost.run("run", in: folder)
        let mark =
            String(repeating: " ", count: columns.lowerBound) + String(repeating: "^", count: columns.count)
        #expect(outcome.status == 69)
        #expect(
            outcome.errors.hasPrefix("error[P060]: `redis` could not be created: setting `"),
            "\(outcome.errors)")
        #expect(outcome.errors.contains(" | \(line)\n  | \(mark)\n"), "\(outcome.errors)")
    }
}
