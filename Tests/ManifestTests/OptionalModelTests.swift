import Diagnostics
import Manifest
import TestSupport
import Testing

/// Optionals in the expressions of a manifest.
@Suite struct OptionalModelTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ text: String, overrides: [String] = []) throws -> Manifest.Loaded {
        Manifest.load(
            path: try folder.write("app.toml", text), standardPlugin: Fixture.standardPlugin,
            overrides: overrides)
    }

    @Test(
        "a duration over config reads a constant that may be null",
        arguments: [
            "config.?pause.orValue(duration('5s'))", "has(config.pause) ? config.pause : duration('5s')",
            "config.pause == null ? duration('5s') : config.pause",
        ])
    func durations(text: String) throws {
        let manifest = """
            [config]
            pause = { type = "duration?" }
            [loops.main]
            [loops.main.feedback.tick]
            effect   = "std:print"
            args     = ["'on'"]
            executor = "pool"
            timeout  = "\(text)"
            retry    = { times = 1, delay = "\(text)" }
            """
        for (overrides, wanted) in [([], Duration.seconds(5)), (["pause=7s"], Duration.seconds(7))] {
            let loaded = try load(manifest, overrides: overrides)
            #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
            let timing = try #require(loaded.manifest?.loops.first?.feedbacks.first?.timing)
            #expect(timing.timeout == wanted && timing.retry.delay == wanted)
        }
    }

    @Test func aDurationOverConfig_cannotBeNull() throws {
        let loaded = try load(
            """
            [config]
            pause = { type = "duration?" }
            [loops.main]
            feedback.tick = { effect = "std:print", args = ["'on'"], executor = "pool", timeout = "config.pause" }
            """)
        #expect(loaded.diagnostics.map(\.code.rawValue) == ["E036"])
    }

    private static let types = """
        [loops.main]
        state  = { limit = { type = "int?" }, names = { type = "[string]?" }, text = "", ready = false, n = 0 }
        events = { go = { limit = "int?" } }

        """

    @Test func everyPartOfALoop_readsOptionals() throws {
        let loaded = try load(
            Self.types + """
                let = { bound = "state.?limit" }
                [loops.main.on.go]
                if  = "bound.hasValue()"
                set = { limit = "event.?limit.or(bound)", text = "string(bound.orValue(0))", n = "bound.value() + 1" }
                [loops.main.feedback.show]
                effect  = "std:print"
                args    = ["bound.optMap(n, string(n)).orValue('no limit')"]
                when    = "bound.optMap(n, n > 2).orValue(false)"
                [loops.main.feedback.each]
                effect  = "std:print"
                args    = ["item"]
                trigger = { each = "state.?names.orValue([])" }
                """)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
    }

    @Test(
        "a part that needs a value says how to get it",
        arguments: [
            (#"args = ["state.?text"]"#, "E017", "write `state.?text.orValue(…)`"),
            (#"args = ["''"], when = "state.?ready""#, "E014", "write `state.?ready.orValue(…)`"),
            (
                #"args = ["item"], trigger = { each = "state.?names" }"#, "M051",
                "write `state.?names.orValue([])`"
            ),
        ])
    func refused(rest: String, code: String, help: String) throws {
        let loaded = try load(Self.types + "feedback.show = { effect = \"std:print\", \(rest) }")
        #expect(loaded.diagnostics.map(\.code.rawValue) == [code])
        #expect(loaded.diagnostics.first?.help == [help], "\(loaded.diagnostics)")
    }
}
