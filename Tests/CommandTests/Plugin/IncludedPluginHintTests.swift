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
        ("redis", #"config = { server = "127.0.0.1:6379" }"#, "`server` is at app.toml:3:21"),
        (
            "redis", #"config = { server = "redis://h?password=hunter22", reconnect_least = "2m" }"#,
            "`reconnect_least` is at app.toml:3:70"
        ),
        (
            "redis", #"config = { server = "redis://h", reconnect_least = "2m" }"#,
            "`reconnect_least` is at app.toml:3:52"
        ),
        ("redis", #"config = { server = "redis://h", reconnect_most = "20ms" }"#, nil),
        (
            "postgres", #"config = { server = "host=h dbname=x user=ada password=hunter22" }"#,
            "`server` is at app.toml:3:21"
        ),
        (
            "postgres", #"config.server = "postgresql://h/x?user=ada&password=hunter22""#,
            "`server` is at app.toml:3:17"
        ),
    ])
    func `a note says where a setting is that the plugin refuses, and shows no password`(
        _ plugin: String, _ config: String, _ note: String?
    ) throws {
        let folder = try TemporaryFolder()
        let effect = plugin == "redis" ? "command" : "listen"
        try folder.write(
            "app.toml",
            """
            [plugins.db]
            library = "spin:\(plugin)"
            \(config)

            """ + Self.loop
                + #"feedback.a = { effect = "db:\#(effect)", args = ["\#(plugin == "redis" ? "['PING']" : "'x'")"] }"#
        )
        let outcome = try Spinhost.run("run", in: folder)
        #expect(outcome.status == 69)
        #expect(
            outcome.errors.contains("error[P060]: `\(plugin)` could not be created: setting `"),
            "\(outcome.errors)")
        #expect(
            note.map { outcome.errors.contains("note: \($0)\n") } ?? !outcome.errors.contains(" is at "),
            "\(outcome.errors)")
        #expect(!outcome.errors.contains("hunter22"), "\(outcome.errors)")
    }
}
