import Foundation
import TestSupport
import Testing

struct LogTests {
    /// Logs one line at each level, then is done.
    private func run(log: String = "", _ arguments: String...) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source = """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("talker", "1.2");
            static int64_t talk(void) {
                spin_log(NULL, SPIN_LOG_TRACE, "one");
                spin_log(NULL, SPIN_LOG_DEBUG, "two");
                spin_log(NULL, SPIN_LOG_INFO, "three");
                spin_log(NULL, SPIN_LOG_WARNING, "four");
                spin_log(NULL, SPIN_LOG_ERROR, "five");
                return 1;
            }
            SPIN_EFFECT(int64_t, talk, (void), "Logs at every level.");
            """
        _ = try CCompiler().sharedObject(source, in: folder, as: "talker.so", flags: ["-I\(include)"])
        try folder.write(
            "app.toml",
            """
            app = { name = "talks"\(log) }
            [plugins.talker]
            library = "./talker.so"
            [loops.main]
            state  = { n = 0 }
            events = { talked = { n = "int" } }
            until  = "state.n == 1"
            on     = { talked = { set = { n = "event.n" } } }
            [loops.main.feedback.talk]
            effect = "talker:talk"
            emit   = { event = "talked", n = "result" }
            """)
        return try Shell.run(Project.spinhost, ["--quiet"] + arguments, in: folder.root)
    }

    private static let lines = [
        "trace: plugin `talker`: one", "debug: plugin `talker`: two", "info: plugin `talker`: three",
        "warning: plugin `talker`: four", "error: plugin `talker`: five",
    ]

    private func lines(_ outcome: Shell.Outcome) -> [String] {
        outcome.errors.split(separator: "\n").map(String.init)
    }

    @Test func lines_fromInfoOn_areShown() throws {
        #expect(try lines(run()) == Array(Self.lines[2...]))
    }

    @Test func level_isTheManifests_andTheOptionOverridesIt() throws {
        #expect(try lines(run(log: ", log = \"error\"")) == Array(Self.lines[4...]))
        #expect(try lines(run(log: ", log = { level = \"warning\" }")) == Array(Self.lines[3...]))
        #expect(try lines(run(log: ", log = \"error\"", "--log-level", "trace")) == Self.lines)
    }

    @Test(arguments: ["manifest", "option"])
    func json_isAnObjectForEachLine(by place: String) throws {
        let outcome =
            place == "option"
            ? try run(log: ", log = \"error\"", "--log-format", "json")
            : try run(log: ", log = { level = \"error\", format = \"json\" }")
        let lines = lines(outcome)
        try #require(lines.count == 1)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String])
        #expect(object["level"] == "error" && object["message"] == "five")
        #expect(object["plugin"] == "talker" && object["version"] == "1.2")
        #expect(object["time"]?.hasSuffix("Z") == true)
    }

    @Test func wrongWords_areUsage() throws {
        let outcome = try run("--log-level", "loud")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("trace"))
        let verb = try Spinhost.run("check", "--log-level", "info")
        #expect(verb.status == 64 && verb.errors.contains("`--log-level` belongs to `run`"))
    }
}
