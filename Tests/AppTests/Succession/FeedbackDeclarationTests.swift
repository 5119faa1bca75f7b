import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// Whether the runs of a feedback continue in the app of a changed manifest.
@Suite struct FeedbackDeclarationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func declaration(_ feedback: String, config: String = "most = 3") throws -> FeedbackDeclaration {
        let manifest = try RecordedRun.manifest(
            """
            [config]
            \(config)
            [plugins.libc]
            library = "libc.so.6"
            declares = "long labs(long n); long llabs(long n);"
            [gears.wire]
            messages = { note = { n = "int" } }
            [loops.main]
            states = { on = {}, off = {} }
            initial = "on"
            shared = { n = 0, list = { type = ["int"] } }
            events = { a = { n = "int" }, b = { n = "int" }, c = {} }
            on.a = { set = { n = "event.n" } }
            on.b = { to = "off" }
            on.c = {}
            receive.wire = { note = { event = "a", n = "message.n" } }
            [loops.main.feedback.watched]
            \(feedback)
            """, in: folder)
        let loop = manifest.loops[0]
        return FeedbackDeclaration(loop.feedbacks[0], of: loop, in: manifest)
    }

    /// For each key of a feedback two tables that differ in it alone.
    private static let differences: [String: (String, String)] = {
        let call = "effect = \"libc:labs\"\nargs = [\"state.n\"]\n"
        let each =
            "effect = \"libc:labs\"\nargs = [\"item\"]\ntrigger = { each = \"state.list\", key = \"item\" }\n"
        return [
            "effect": (call, call.replacing("labs", with: "llabs")),
            "args": (call, call.replacing("state.n", with: "state.n + 1")),
            "in": (call, call + "in = \"on\""),
            "when": (call, call + "when = \"state.n > 1\""),
            "on": (call + "on = \"a\"", call + "on = \"b\""),
            "trigger": (each, each.replacing("key = \"item\"", with: "key = \"item + 1\"")),
            "strategy": (call + "on = \"a\"", call + "on = \"a\"\nstrategy = \"queue\""),
            "executor": (call, call + "executor = \"pool\""),
            "fails-if": (call, call + "fails-if = \"result < 0\""),
            "emit": (call, call + "emit = { event = \"a\", n = \"result\" }"),
            "emits": (
                "effect = \"std:every\"\nargs = [\"1s\"]\nemits.ticked = { event = \"a\", n = \"value.count\" }",
                "effect = \"std:every\"\nargs = [\"1s\"]\nemits.ticked = { event = \"b\", n = \"value.count\" }"
            ),
            "send": (call, call + "send = { gear = \"wire\", message = \"note\", n = \"result\" }"),
            "on-error": (call, call + "on-error = { event = \"c\" }"),
            "debounce": (call, call + "debounce = \"1s\""),
            "delay": (call, call + "delay = \"1s\""),
            "timeout": (call + "executor = \"pool\"", call + "executor = \"pool\"\ntimeout = \"1s\""),
            "retry": (call, call + "retry = 1"),
            "disabled": (call, call + "disabled = true"),
            "durable": (call, call + "durable = false"),
            "recover": (call, call + "recover = \"drop\""),
        ]
    }()

    @Test func everyKeyCounts() throws {
        let schema = ManifestSchema.document["$defs"]?["loops.NAME.feedback.NAME"]?["properties"]
        guard case .map(let keys)? = schema else {
            Issue.record("the schema has no keys of feedbacks")
            return
        }
        #expect(
            Set(keys.map(\.key)) == Set(Self.differences.keys.map(Value.string)),
            "a new key needs two tables here")
        for (key, tables) in Self.differences {
            #expect(try declaration(tables.0) != declaration(tables.1), "\(key)")
            #expect(try declaration(tables.0) == declaration(tables.0), "\(key)")
        }
    }

    @Test func layoutAndKeysOfTheUser_doNotCount() throws {
        let inline = "effect = \"libc:labs\"\nargs = [\"state.n\"]\nemit = { event = \"a\", n = \"result\" }"
        let spread = """
            x-note = "the user's own"
            args   = [ # a comment
                "state.n",
            ]
            emit.n = "result"
            emit.event = "a"
            effect = 'libc:labs'
            """
        #expect(try declaration(inline) == declaration(spread))
    }

    @Test func constantsOfTheManifest_countWhereTheyAreRead() throws {
        let reading = "effect = \"libc:labs\"\nargs = [\"config.most\"]"
        #expect(try declaration(reading) != declaration(reading, config: "most = 4"))
        let saying = "effect = \"std:print\"\nargs = [\"'the config is ' + string(state.n)\"]"
        #expect(try declaration(saying) == declaration(saying, config: "most = 4"))
    }
}
