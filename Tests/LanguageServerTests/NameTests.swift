import Records
import TestSupport
import Testing

/// Where names are declared and used, what they mean, and how they change.
struct NameTests {
    private static let app = """
        include = ["parts.toml"]

        [plugins.geo]
        library  = "libm.so.6"
        declares = '''
        double cbrt(double x);
        double hypot(double x, double y);
        '''

        [loops.main]
        state  = { total = 0.0, note = "it is state.total" }
        events = { go = { n = "f64" }, stop = {} }
        let    = { is_large = "state.total > config.limit" }

        [loops.main.on]
        go   = { set = { total = "state.total + event.n" } }
        stop = { if = "is_large", set = { total = "0.0" } }

        [loops.main.feedback.length]
        effect = "geo:hypot"
        on     = "go"
        args   = ["event.n", "state.total * 2.0"]

        """

    private static let parts = """
        [config]
        limit = 3.0

        [[tests]]
        loop   = "main"
        given  = { total = 1.0 }
        events = [{ go = { n = 2.0 } }]
        expect = { total = 3.0 }
        name   = "adds"

        """

    /// An editor with both files open, and a mark before the given occurrence of a text in the first one.
    private func client(at part: String, _ occurrence: Int = 0, offset: Int = 0) throws -> EditorClient {
        let client = try EditorClient()
        client.open(Self.parts, as: "parts.toml")
        let ranges = Self.app.ranges(of: part)
        var text = Self.app
        text.insert(
            "‸", at: text.index(try #require(ranges.dropFirst(occurrence).first).lowerBound, offsetBy: offset)
        )
        client.open(text)
        #expect(
            client.diagnostics["app.toml"] == [] && client.diagnostics["parts.toml"] == [],
            "\(client.diagnostics)")
        return client
    }

    /// Each place as `line: text`, lines counted from 1; in `parts.toml` with the name of the file.
    private func shown(_ places: [Value], _ client: EditorClient) throws -> [String] {
        try places.map { place in
            let name = client.name(ofAddress: try #require(place["uri"]?.string))
            guard case .int(let line)? = place["range"]?["start"]?["line"] else { return "?" }
            let text = try client.text(place["range"], in: name)
            return "\(name == "app.toml" ? "" : name + " ")\(line + 1): \(text)"
        }
    }

    @Test(
        "a use leads to the declaration",
        arguments: [
            ("state.total >", 6, ["11: total"]), ("config.limit", 7, ["parts.toml 2: limit"]),
            ("is_large\",", 0, ["13: is_large"]),
            ("event.n\" }", 6, ["12: n"]), ("stop = {", 0, ["12: stop"]), ("\"go\"", 1, ["12: go"]),
            ("geo:hypot", 1, ["3: geo"]), ("geo:hypot", 5, ["7: double hypot(double x, double y)"]),
            ("it is", 0, []), ("include", 0, []),
        ])
    func definitions(part: String, offset: Int, wanted: [String]) throws {
        let client = try client(at: part, offset: offset)
        #expect(try shown(try client.ask("definition").items, client) == wanted)
    }

    @Test func references_areInAllFiles() throws {
        let client = try client(at: "total = 0.0", offset: 1)
        let uses = ["13: total", "16: total", "16: total", "17: total", "22: total"]
        let tests = ["parts.toml 6: total", "parts.toml 8: total"]
        func ask(_ isWhole: Bool) throws -> [String] {
            try shown(
                try client.ask(
                    "references", [("context", .record([("includeDeclaration", .bool(isWhole))]))]
                ).items, client
            ).sorted()
        }
        #expect(try ask(true) == (["11: total"] + uses + tests).sorted())
        #expect(try ask(false) == (uses + tests).sorted())
    }

    @Test func aHeaderThatIsBeingWritten_isOneUse() throws {
        let client = try EditorClient()
        for end in ["[loops.ma‸in", "[loops.ma‸in.", "[loops.ma‸in.on", "[loops.ma‸in.on]"] {
            client.open("[loops.main]\nstate = { n = 0 }\n\(end)")
            #expect(try shown(try client.ask("references").items, client) == ["1: main", "3: main"])
        }
    }

    @Test(
        "a name changes everywhere, and in no other place",
        arguments: [
            ("total = 0.0", 0, "total", "sum"), ("is_large\",", 3, "is_large", "is_big"),
            ("go   =", 0, "go", "walk"),
            ("config.limit", 8, "limit", "bound"), ("loops.main]", 6, "main", "first"),
            ("geo:hypot", 0, "geo", "shapes"),
        ])
    func renames(part: String, offset: Int, old: String, new: String) throws {
        let client = try client(at: part, offset: offset)
        let prepared = try client.ask("prepareRename")
        #expect(prepared["placeholder"] == .string(old))
        #expect(try client.text(prepared["range"]) == old)
        let answer = try client.ask("rename", [("newName", .string(new))])
        let texts = try ["app.toml", "parts.toml"].map { name in
            try client.edited(name, answer["changes"]?[client.address(name)]?.items ?? [])
        }
        client.change(to: texts[0])
        client.change("parts.toml", to: texts[1])
        #expect(client.diagnostics["app.toml"] == [] && client.diagnostics["parts.toml"] == [], "\(texts)")
        // A text that only looks like the name stays.
        #expect(texts[0].contains("\"it is state.total\""))
        #expect(
            !(texts[0] + texts[1]).replacing("it is state.total", with: "").contains(
                old == "go" ? "go " : old))
    }

    @Test(
        "a name that cannot change says why",
        arguments: [
            ("total = 0.0", "note", -32803), ("total = 0.0", "Sum", -32602), ("include", "x", -32803),
            ("it is", "x", -32803),
        ])
    func refusals(part: String, new: String, code: Int64) throws {
        let client = try client(at: part)
        do {
            try client.ask("rename", [("newName", .string(new))])
            Issue.record("it was renamed")
        } catch let refusal as EditorClient.Refusal { #expect(refusal.code == code, "\(refusal)") }
    }

    @Test(
        "a name is described",
        arguments: [
            ("effect = ", 2, ["**`effect`**", "a string"]), ("state.total >", 6, ["state.total: f64"]),
            ("geo:hypot", 6, ["double hypot(double x, double y)"]), ("event.n\" }", 6, ["event.n: f64"]),
            ("on     =", 0, ["**`on`**"]), ("is_large\",", 0, ["is_large: bool"]),
            ("stop = {", 0, ["event `stop`", "stop = {}"]),
            ("config.limit", 8, ["config.limit: f64"]),
        ])
    func hovers(part: String, offset: Int, wanted: [String]) throws {
        let client = try client(at: part, offset: offset)
        let text = try client.ask("hover")["contents"]?["value"]?.string ?? ""
        for part in wanted { #expect(text.contains(part), "\(text)") }
    }

    @Test func functions_areDescribed() throws {
        let client = try EditorClient()
        client.open(
            "[loops.main]\nstate = { t = '' }\nuntil = \"state.t.starts‸With('a') && math.abs(1) > 0\"\n")
        let text = try client.ask("hover")["contents"]?["value"]?.string ?? ""
        #expect(text.contains("string.startsWith(string) -> bool"), "\(text)")
    }

    @Test func symbols_areATree() throws {
        let client = try client(at: "include")
        func outline(_ symbols: [Value]) -> String {
            symbols.map { symbol in
                let children = symbol["children"]?.items ?? []
                return (symbol["name"]?.string ?? "?") + (children.isEmpty ? "" : "(\(outline(children)))")
            }.joined(separator: " ")
        }
        let symbols = try client.ask("documentSymbol").items
        #expect(outline(symbols) == "geo main(total note go(n) stop is_large length)", "\(outline(symbols))")
        for symbol in symbols {
            #expect(try client.text(symbol["range"]).contains(try client.text(symbol["selectionRange"])))
        }
        #expect(outline(try client.ask("documentSymbol", in: "parts.toml").items) == "limit adds")
    }

    @Test func formatting_changesOnlyLinesThatDiffer() throws {
        let client = try EditorClient()
        let text = "[loops.main]\nstate = { n = 0 }\nuntil='state.n > 3'\n\n[app]\nname = 'x'\n"
        client.open(text)
        let edits = try client.ask("formatting").items
        let formatted = try client.edited("app.toml", edits)
        #expect(edits.count == 1 && formatted.contains("until = 'state.n > 3'"), "\(formatted)")
        client.change(to: formatted)
        #expect(try client.ask("formatting") == .list([]))
        client.change(to: "[loops.main\n")
        #expect(throws: EditorClient.Refusal.self) { try client.ask("formatting") }
    }
}
