import Foundation
import TestSupport
import Testing

/// How the fields of a plugin's log line look.
struct LogFieldTests {
    private func run(_ format: String) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source = """
            #include <spinhost/plugin.h>
            #include <stdlib.h>
            SPIN_PLUGIN("talker", "1.2");
            static int64_t talk(const char *word, int64_t code) {
                spin_log_with(NULL, SPIN_LOG_INFO, "connected", spin_field_text("host", "a b"),
                              spin_field_integer("port", 80), spin_field_text("word", word),
                              spin_field_integer("code", code), spin_field_flag("is_new", 1));
                return 1;
            }
            SPIN_EFFECT(int64_t, talk, (const char *word, int64_t code), "Logs.");
            """
        _ = try CCompiler().sharedObject(source, in: folder, as: "talker.so", flags: ["-I\(include)"])
        try folder.write(
            "app.toml",
            #"""
            app = { name = "talks" }
            [config]
            word = { env = "TALK_WORD" }
            code = { env = "TALK_CODE", type = "int" }
            [plugins.talker]
            library = "./talker.so"
            [loops.main]
            state  = { n = 0 }
            events = { talked = { n = "int" } }
            until  = "state.n == 1"
            on     = { talked = { set = { n = "event.n" } } }
            [loops.main.feedback.talk]
            effect = "talker:talk"
            args   = ["config.word", "config.code"]
            emit   = { event = "talked", n = "result" }
            """#)
        return try Shell.run(
            Project.spinhost, ["--quiet", "--log-format", format], in: folder.root,
            environment: ["TALK_WORD": #"open "sesame" = \ now"#, "TALK_CODE": "8472"])
    }

    @Test func textHasThemAfterTheLine_withoutSecrets() throws {
        #expect(
            try run("text").errors
                == "info: plugin `talker`: connected host=\"a b\" port=80 word=\"<secret>\" code=<secret> is_new=true\n"
        )
    }

    @Test func jsonHasAnObject_withoutSecrets() throws {
        let line = try #require(try run("json").errors.split(separator: "\n").first)
        #expect(
            line.hasSuffix(
                #""message":"connected","plugin":"talker","version":"1.2","fields":{"host":"a b","port":80,"word":"<secret>","code":"<secret>","is_new":true}}"#
            ), "\(line)")
    }
}
