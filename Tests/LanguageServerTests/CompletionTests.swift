import Records
import TestSupport
import Testing

/// What can be written at a place.
struct CompletionTests {
    private static let app = """
        [plugins.geo]
        library  = "libm.so.6"
        declares = "double hypot(double x, double y);"

        [types]
        point = { x = "f64", y = "f64" }

        [config]
        limit = 3

        [loops.main]
        initial = "idle"
        shared = { mode = { type = "slow | fast" }, place = { type = "point" }, names = { type = "[string]" } }
        states = { idle = {}, busy = { since = { type = "timestamp" } } }
        events = { go = { to = "point" }, stop = {} }
        let    = { is_fast = "state.mode == 'fast'" }
        on.go  = { to = "busy", set = { since = "now" } }

        [loops.main.feedback.walk]
        effect = "std:print"
        args   = ["'walks'"]
        when   = "is_fast"

        """

    private func names(_ text: String) throws -> [String] {
        try EditorClient().names(Self.app + text)
    }

    @Test(
        "keys of a table",
        arguments: [
            ("[loops.main.feedback.walk2]\n‸", ["effect", "args", "when", "timeout"], ["library", "state"]),
            ("[loops.main.feedback.walk2]\neffect = \"std:print\"\nar‸", ["args"], ["effect"]),
            ("[loops.main.feedback.walk2]\neffect = \"geo:hypot\"\nargs = { ‸", ["x", "y"], ["effect"]),
            ("[loops.main.feedback.walk2]\nargs = { y = \"1.0\", ‸ }\neffect = \"geo:hypot\"", ["x"], ["y"]),
            ("[loops.main.feedback.walk2]\neffect = \"geo:nope\"\nargs = { ‸", [], ["x"]),
            ("[loops.main.on.stop]\ntarget = { ‸", [], ["to"]),
            ("[loops.main]\non.stop = { ‸", ["to", "set", "if", "ignore"], ["effect"]),
            ("[loops.main]\non.‸", ["stop"], ["go"]), ("[loops.main.on.‸", ["stop"], ["go"]),
            ("[loops.main.on]\n‸", ["stop"], ["go"]),
            ("[loops.main.on.stop]\nset.‸", ["mode", "place", "names", "since"], ["limit"]),
            ("[loops.main.after.‸", ["idle", "busy"], []),
            ("[‸", ["plugins", "loops", "config"], []),
            ("[loops.main.‸", ["feedback", "on"], ["until"]),
            ("[[‸", ["tests"], ["plugins", "config"]),
            ("[[tests]]\nloop = 'main'\ngiven.‸", ["mode", "since"], []),
            ("[plugins.p]\nlibrary = 'x'\nsandbox.‸", ["connect", "memory"], ["library"]),
        ])
    func keys(text: String, wanted: [String], unwanted: [String]) throws {
        let names = try names(text)
        for name in wanted { #expect(names.contains(name), "\(name) in \(names)") }
        for name in unwanted { #expect(!names.contains(name), "\(name) in \(names)") }
    }

    @Test(
        "values",
        arguments: [
            ("[loops.main.on.stop]\nto = ‸", ["idle", "busy"]),
            ("[loops.main.on.stop]\nto = \"b‸\"", ["idle", "busy"]),
            ("[loops.main.feedback.b]\non = [\"‸", ["go", "stop"]),
            ("[loops.main.feedback.b]\neffect = \"‸", ["std:print", "geo:hypot"]),
            ("[plugins.p]\nisolation = ‸", ["inline", "process"]), ("[app]\nlock = ‸", ["true", "false"]),
            ("[loops.other]\nstate = { a = { type = \"[‸", ["string", "point", "f64"]),
            ("[[tests]]\nloop = \"‸", ["main"]),
        ])
    func values(text: String, wanted: [String]) throws {
        let names = try names(text)
        for name in wanted { #expect(names.contains(name), "\(name) in \(names)") }
    }

    @Test(
        "names of expressions",
        arguments: [
            (
                "[loops.main.on.stop]\nif = \"‸",
                ["state", "event", "config", "is_fast", "size", "math", "true"], ["x"]
            ),
            (
                "[loops.main.on.stop]\nif = \"state.‸", ["mode", "place", "names", "case"],
                ["limit", "state"]
            ),
            ("[loops.main.on.stop]\nif = \"state.place.‸", ["x", "y"], ["mode"]),
            ("[loops.main.on.stop]\nif = \"state.mode == '‸", ["slow", "fast"], ["idle"]),
            ("[loops.main.on.stop]\nif = \"state.case == '‸", ["idle", "busy"], ["slow"]),
            (
                "[loops.main.on.stop]\nif = \"state.names.‸", ["exists", "filter", "size"],
                ["startsWith", "x"]
            ),
            ("[loops.main.on.stop]\nif = \"state.names.exists(n, n.‸", ["startsWith", "size"], ["exists"]),
            ("[loops.main.on.stop]\nif = \"state.names.exists(n, ‸", ["n", "state"], []),
            ("[loops.main.on.stop]\nif = \"math.‸", ["ceil", "floor"], ["size"]),
            ("[loops.main.on.stop]\nif = \"config.l‸", ["limit"], ["mode"]),
            (
                "[loops.main.feedback.walk2]\non = 'go'\neffect = \"std:print\"\nargs = [\"string(event.to.‸",
                ["x", "y"], []
            ),
        ])
    func expressions(text: String, wanted: [String], unwanted: [String]) throws {
        let names = try names(text)
        for name in wanted { #expect(names.contains(name), "\(name) in \(names)") }
        for name in unwanted { #expect(!names.contains(name), "\(name) in \(names)") }
    }

    @Test(
        "a choice replaces what is written of it",
        arguments: [
            ("[loops.main.on.stop]\nt‸", "to", "[loops.main.on.stop]\nto = "),
            ("[loops.main.on.stop]\nt‸ = 1", "to", "[loops.main.on.stop]\nto = 1"),
            ("[loops.main.on.stop]\nto = ‸", "idle", "[loops.main.on.stop]\nto = \"idle\""),
            ("[loops.main.on.stop]\nto = \"i‸\"", "idle", "[loops.main.on.stop]\nto = \"idle\""),
            (
                "[loops.main.on.stop]\nif = \"1 < state.pl‸", "place",
                "[loops.main.on.stop]\nif = \"1 < state.place"
            ),
            ("[loops.main.on.st‸", "stop", "[loops.main.on.stop"),
        ])
    func edits(text: String, choice: String, wanted: String) throws {
        let client = try EditorClient()
        let app = Self.app
        client.open(app + text)
        let item = try #require(try client.ask("completion").items.first { $0["label"]?.string == choice })
        #expect(try client.edited("app.toml", [try #require(item["textEdit"])]) == app + wanted)
    }

    @Test func theManifestOfTheseTests_hasNoFault() throws {
        let client = try EditorClient()
        client.open(Self.app)
        #expect(client.diagnostics["app.toml"] == [])
    }

    @Test func aStringWithoutItsEnd_leavesTheOtherLinesAsTheyAre() throws {
        for lineEnd in ["\n", "\r\n"] {
            let lines = ["[loops.main]", "state = { count = 0 }", "until = \"state.‸", "strict = true", ""]
            let names = try EditorClient().names(lines.joined(separator: lineEnd))
            #expect(names.contains("count"), "\(names)")
        }
    }

    @Test func comments_haveNoChoices() throws {
        #expect(try names("# sta‸").isEmpty)
    }
}
