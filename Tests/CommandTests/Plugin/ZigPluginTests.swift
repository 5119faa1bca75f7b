import Foundation
import TestSupport
import Testing

/// A plugin in Zig on `bindings/zig`. The tests compile it as docs/abi.md says, where there is a compiler.
@Suite(
    .enabled(if: ZigCompiler.program != nil, ZigCompiler.isMissing),
    .timeLimit(.minutes(10)))
struct ZigPluginTests {
    private static let library = Result { try ZigCompiler.library("tally") }

    private let tally: String

    init() throws { tally = try Self.library.get().url("tally.so").path }

    @Test func `it keeps all rules`() throws {
        let checked = try CheckedPlugin(tally, ["--call"])
        #expect(checked.status == 0 && checked.failed == [], "\(checked.failed)")
        #expect(!checked.lines.contains { $0.status == "warning" })
        for rule in ["saved-state", "strange-state", "life"] {
            #expect(try checked.line(rule).status == "passed")
        }
    }

    @Test func `its notes have the settings of the struct`() throws {
        let info = try Spinhost.run("plugin", "info", tally)
        #expect(
            info.output.contains(
                """
                setting  string label = "a \\"sum\\""
                         What is counted.
                setting  i32 step = 1, -1000 to 1000
                         How far each count goes.
                setting  f64 factor = 0.5
                         What a sum is worth.
                setting  bool works = true

                """), "\(info.output)")
    }

    @Test(arguments: [
        ("uint64_t count(spin_string text)", " two  words ", "2\n"),
        ("int32_t half(int32_t number)", "-7", "-3\n"),
        ("spin_timestamp later(spin_timestamp since)", "2026-01-01T00:00:59Z", "\"2026-01-01T00:01:00Z\"\n"),
    ])
    func `each type of Zig crosses the border`(_ prototype: String, _ argument: String, _ result: String)
        throws
    {
        let outcome = try Spinhost.run("call", tally, prototype, "--", argument)
        #expect(outcome.output == "result = \(result)", "\(outcome.errors)")
    }

    @Test func `an instance has its settings, and effects emit`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [plugins.tally]
            library = "\(tally)"
            config  = { label = "begins", step = 3 }
            [loops.main]
            state  = { sum = 0, last = "" }
            events = { word = { text = "string", index = "u32" }, added = { sum = "int" } }
            until  = "state.last == 'c' && state.sum == 6"
            [loops.main.on]
            word  = { set = { last = "event.text" } }
            added = { set = { sum = "event.sum" } }
            [loops.main.feedback]
            split = { effect = "tally:split", args = ["'a  b c'"] }
            add   = { effect = "tally:add", args = [2], emit = { event = "added", sum = "result" } }
            """)
        let outcome = try Spinhost.run("--quiet", in: folder)
        #expect(outcome.output == "begins\nstop\n" && outcome.status == 0, "\(outcome.errors)")
        try folder.write(
            "app.toml",
            String(contentsOf: folder.url("app.toml"), encoding: .utf8)
                .replacing("step = 3", with: "works = false"))
        let refused = try Spinhost.run("--quiet", in: folder)
        #expect(
            refused.errors.contains("`tally` could not be created: it does not work"), "\(refused.errors)")
    }

    @Test func `an instance hands its sum over to the next version`() throws {
        let folder = try TemporaryFolder()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: tally))
        try bytes.write(to: folder.url("tally.so"))
        try folder.write(
            "app.toml",
            """
            app.name = "door"
            [plugins.tally]
            library = "./tally.so"
            config  = { step = 3 }
            [loops.main]
            state  = { sum = 0 }
            events = { more = {}, added = { sum = "int" } }
            on.added = { set = { sum = "event.sum" } }
            [loops.main.feedback.add]
            effect = "tally:add"
            on     = "more"
            args   = [2]
            emit   = { event = "added", sum = "result" }
            """)
        let host = try ControlledHost(in: folder, ["--json"])
        #expect(host.program.nextLine(with: #""step":0"#) != "")
        _ = try host.spinhost("send", "more")
        #expect(host.program.nextLine(with: #""state":{"sum":6}"#) != "")
        // The same code in another file.
        bytes.append(0)
        try bytes.write(to: folder.url("tally.so"), options: .atomic)
        let swapped = try host.spinhost("swap", "tally")
        try #require(swapped.output == "swapped 1.0.0 → 1.0.0\n", "\(swapped.errors)")
        _ = try host.spinhost("send", "more")
        #expect(host.program.nextLine(with: #""state":{"sum":12}"#) != "")
        #expect(host.end().status == 0)
    }

    @Test func `a panic ends the process, and with a guard the call only`() throws {
        try LanguageTests.expectPanic(of: "tally", tally)
    }
}
