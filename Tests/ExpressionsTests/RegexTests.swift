import Expressions
import Records
import Testing

@Suite("regular expressions over records")
struct RegexTests {
    private func world() throws -> World {
        var world = World()
        try world.set("name", .string("id=17, id=23"))
        try world.set("title", .string("[0-9]+"))
        try world.set("names", .list([.string("a1"), .string("b"), .string("c22")]))
        return world
    }

    @Test(
        "extract and replace",
        arguments: [
            ("regex.extract(state.name, 'id=([0-9]+)')", "optional(\"17\")", "optional(string)"),
            ("regex.extract(state.name, 'x').orValue(state.title)", "\"[0-9]+\"", "string"),
            ("regex.extractAll(state.name, state.title)", "[\"17\", \"23\"]", "list(string)"),
            ("regex.replace(state.name, '([0-9])([0-9])', r'\\2\\1')", "\"id=71, id=32\"", "string"),
            ("regex.replace(state.name, state.title, state.title, 1)", "\"id=[0-9]+, id=23\"", "string"),
            (
                "state.names.map(n, regex.extract(n, state.title)).unwrapOpt()", "[\"1\", \"22\"]",
                "list(string)"
            ),
            ("state.names.filter(n, regex.extractAll(n, '[0-9]').size() > 1)", "[\"c22\"]", "list(string)"),
            (
                "state.names.map(n, regex.replace(n, '^.', '\\\\0\\\\0'))",
                "[\"aa1\", \"bb\", \"cc22\"]", "list(string)"
            ),
            ("regex.extract(state.mode, 'i.')", "optional(\"id\")", "optional(string)"),
        ])
    func functions(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test(
        "report what is wrong with constant patterns and replacements at load",
        arguments: [
            (
                "regex.extract(state.name, '(')",
                "E041 26..<29: `(` is not a valid regular expression: missing ): ("
            ),
            (
                "regex.extractAll(state.name, '(a)(b)')",
                "E041 29..<37: `(a)(b)` captures 2 groups, and at most 1 can be extracted = write `(?:…)` for a group that is not extracted"
            ),
            (
                "regex.replace(state.name, 'a', r'\\1')",
                "E042 31..<36: the replacement has `\\1`, but the pattern captures 0 groups"
            ),
            (
                "regex.replace(state.name, '(a)', r'\\2', 3)",
                "E042 33..<38: the replacement has `\\2`, but the pattern captures 1 group"
            ),
            (
                "regex.replace(state.name, 'a', r'\\d')",
                "E042 31..<36: in a replacement, a digit or `\\` must follow `\\`"
            ),
            (
                "regex.replace(state.name, 'a', 'b\\\\')",
                "E042 31..<36: the replacement ends with `\\`: write `\\\\` for the character"
            ),
            ("regex.replace('a', 'b')", "E013 0..<23: `regex.replace` takes 3 arguments, not 2"),
            (
                "regex.extract(state.a, 'b')",
                "E013 0..<27: `regex.extract` does not take int and string = write `string(state.a)`"
            ),
            (
                "regex.matches('a', 'b')",
                "E012 6..<13: unknown function `regex.matches` | known functions: `regex.extract`, `regex.extractAll`, `regex.replace`"
            ),
        ])
    func load(text: String, wanted: String) { #expect(fault(text) == wanted) }

    @Test("report at evaluation what is known only then")
    func evaluation() throws {
        var world = try world()
        try world.set("title", .string("(a)(b)"))
        #expect(
            fault("1 + regex.extractAll(state.name, state.title).size()", world)
                == "E041 4..<45: `(a)(b)` captures 2 groups, and at most 1 can be extracted")
        #expect(
            fault("regex.replace(state.name, 'id', state.title + '\\\\')", world)
                == "E042 0..<51: the replacement ends with `\\`: write `\\\\` for the character")
        #expect(outcome("regex.replace(state.name, 'xx', state.title + '\\\\')", world) == "\"id=17, id=23\"")
        #expect(outcome("state.on && regex.extract(state.name, '(').hasValue()", world) == "false")
    }

    @Test("are bounded in size and in steps")
    func limits() throws {
        var world = World()
        try world.set("name", .string(String(repeating: "a", count: 8000)))
        try world.set("title", .string(String(repeating: "a", count: 30_000)))
        let name = Value.string(String(repeating: "a", count: 2000))
        try world.set("names", .list(Array(repeating: name, count: 50)))
        #expect(outcome("regex.replace(state.name, 'a', 'b').contains('a')", world) == "false")
        #expect(
            outcome("regex.extractAll(state.title, 'a')", world)
                == "fault: the text of 30000 bytes has too many matches")
        #expect(
            outcome("regex.replace(state.title, '', '-')", world)
                == "fault: the text of 30000 bytes has too many matches")
        #expect(outcome("regex.extractAll(state.title, 'a+').size()", world) == "1")
        // RE2 has no automaton for this pattern, so a byte takes a hundred times as long.
        #expect(
            outcome("regex.extractAll(state.name, '[ab](?:.*a[ab]{25}c)?')", world)
                == "fault: the text of 8000 bytes has too many matches")
        // A class of many characters takes much memory, but not more time.
        #expect(outcome(#"regex.replace(state.names[0], '\\pL', 'b').contains('a')"#, world) == "false")
        // Many of them can take a byte as long as all of their instructions.
        #expect(
            outcome(#"regex.extractAll(state.names[0], '\\pL(?:.*a\\pL{25}1)?')"#, world)
                == "fault: the text of 2000 bytes has too many matches")
        #expect(outcome(#"regex.extractAll(state.name, '(?i)[\\p{L}\\p{N}_]+').size()"#, world) == "1")
        #expect(
            outcome(#"regex.replace(state.name, '\\x{10000}?[^я-ё]', 'b').contains('a')"#, world) == "false")
        #expect(
            outcome(#"regex.extractAll(state.name, '\\p{L}(?:.*a\\p{L}{25}c)?')"#, world)
                == "fault: the text of 8000 bytes has too many matches")
        #expect(
            outcome("regex.replace(state.name, 'a', state.name)", world)
                == "fault: the text has more than the 4194304 bytes allowed")
        #expect(
            outcome("state.names.map(n, regex.extractAll(n, 'a').size())", world)
                == "fault: the evaluation takes more than 1000000 steps")
        #expect(outcome("state.names.all(n, regex.extractAll(n, 'a+').size() == 1)", world) == "true")
    }
}
