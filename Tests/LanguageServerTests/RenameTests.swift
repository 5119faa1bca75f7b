import Records
import TestSupport
import Testing

/// Names of a loop with cases, in all the forms in which they are written.
struct RenameTests {
    private static let app = """
        [types]
        spot = { x = "f64" }

        [gears.bell]
        messages = { rung = { times = "int" } }

        [loops.door]
        initial = "shut"
        states  = { shut = {}, open = { since = { type = "spot?" }, all = { type = "[spot]" } } }
        shared  = { word = { type = "spot | open | line" }, is_open = false }
        let     = { is_shut = "state.case == 'shut'" }
        events  = { push = {}, pull = { "by" = "spot" } }

        [loops.door.in.open]
        feedback.creak = { effect = "std:print", args = ["'open'"], emit = { event = "pull", by = "{'x': 1.0}" } }
        after          = { delay = "5s", to = "shut" }

        [loops.door.on]
        push = { from = ["shut"], to = "open", let = { is_new = "is_shut" }, set = { is_open = "is_new && state.word != 'open'" } }
        pull = { from = "open", to = "shut", if = "event.by.x > 0.0" }

        [loops.door.feedback.ring]
        in   = "open"
        send = { gear = "bell", message = "rung", times = "1" }

        [loops.porch]
        state   = { rings = 0 }
        events  = { rang = { times = "int" } }
        receive = { bell = { rung = { event = "rang", times = "message.times" } } }
        on.rang = { set = { rings = "state.rings + event.times" } }

        [[tests]]
        name   = "the door shuts"
        loop   = "door"
        given  = { case = "open" }
        events = [{ "after:open" = {} }]
        expect = { case = "shut" }

        """

    @Test func theManifestOfTheseTests_hasNoFault() throws {
        let client = try EditorClient()
        client.open(Self.app)
        #expect(client.diagnostics["app.toml"] == [])
    }

    /// Each row has a part of the manifest, the offset of the name in it, the new name, and the number of edits.
    @Test(
        "a name changes in all its forms",
        arguments: [
            ("open = { since", 0, "wide", 7), ("spot = {", 0, "place", 4), ("bell]", 0, "gong", 3),
            ("rung = { times", 0, "struck", 3), ("times = \"int\" } }\n\n[loops.door]", 0, "count", 3),
            ("creak", 0, "groan", 1), ("pull = { \"by\"", 0, "tug", 3), ("\"by\"", 1, "whom", 3),
            ("ring]", 0, "chime", 1),
        ])
    func forms(part: String, offset: Int, new: String, count: Int) throws {
        let client = try EditorClient()
        var text = Self.app
        let start = try #require(text.firstRange(of: part)).lowerBound
        text.insert("‸", at: text.index(start, offsetBy: offset))
        client.open(text)
        let answer = try client.ask("rename", [("newName", .string(new))])
        let edits = answer["changes"]?[client.address("app.toml")]?.items ?? []
        let renamed = try client.edited("app.toml", edits)
        #expect(edits.count == count, "\(renamed)")
        client.change(to: renamed)
        #expect(client.diagnostics["app.toml"] == [], "\(client.diagnostics)")
        // The members of an enumeration are not names of the manifest.
        #expect(renamed.contains("\"spot | open | line\"") && renamed.contains("state.word != 'open'"))
    }

    @Test(
        "a name with a meaning is refused",
        arguments: [
            ("spot = {", "string"), ("is_open = false", "type"), ("rings = 0", "in"),
            ("is_open = false", "is_shut"), ("is_open = false", "is_new"), ("is_shut = ", "word"),
            ("is_new = ", "is_open"), ("is_new = ", "is_shut"),
        ])
    func meanings(part: String, new: String) throws {
        let client = try EditorClient()
        var text = Self.app
        text.insert("‸", at: try #require(text.firstRange(of: part)).lowerBound)
        client.open(text)
        #expect(throws: EditorClient.Refusal.self) { try client.ask("rename", [("newName", .string(new))]) }
    }
}
