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
}
