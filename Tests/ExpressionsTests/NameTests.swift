import Expressions
import Testing

@Suite("the names that an expression uses")
struct NameTests {
    private func names(_ text: String) throws -> [String] {
        try Expression(text, in: Scope(untyped: ["state", "event"])).names.map { use in
            use.field.map { "\(use.name).\($0)" } ?? use.name
        }
    }

    @Test(
        "come in the order of the text, each with the first field that is read",
        arguments: [
            ("1 + 2 > 2", []), ("event == 'pushed'", ["event"]), ("state.times > 3", ["state.times"]),
            ("state.owner.name == 'Ada'", ["state.owner"]), ("state['times'] == 1", ["state"]),
            ("state.list[event.at]", ["state.list", "event.at"]), ("{event.key: 1}", ["event.key"]),
            ("-state.n < 0 && !(nothing || state.on)", ["state.n", "nothing", "state.on"]),
            ("state.?times.orValue(event.n)", ["state.times", "event.n"]),
            ("state.list[?event.at].?x", ["state.list", "event.at"]),
            ("[?state.?a, {?event.k: state.b}]", ["state.a", "event.k", "state.b"]),
            ("event.on ? [state.a] : {'k': state.b}", ["event.on", "state.a", "state.b"]),
            ("size(state.names) == state.list.size()", ["state.names", "state.list"]),
        ] as [(String, [String])])
    func order(_ text: String, _ expected: [String]) throws { #expect(try names(text) == expected) }

    @Test("are no fields that `has` asks for")
    func presence() throws {
        #expect(try names("has(state.times) || has(state.owner.name)") == ["state", "state.owner"])
    }

    @Test("are no variables of macros, except outside of these macros or after a dot")
    func macros() throws {
        #expect(try names("state.list.all(x, x.n > event.n)") == ["state.list", "event.n"])
        #expect(try names("state.list.exists(state, state.n > 1) && state.m") == ["state.list", "state.m"])
        #expect(try names("[1].all(state, .state.n > state)") == ["state.n"])
        #expect(try names("state.?n.optMap(x, x + event.n).optFlatMap(y, y.?z)") == ["state.n", "event.n"])
        #expect(try names("[[1]].all(x, x.all(y, x[0] == y && z))") == ["z"])
    }

    @Test("are no types and no namespaces of functions")
    func types() throws {
        #expect(try names("type(state.n) == int || type(1) == google.protobuf.Duration") == ["state.n"])
        #expect(try names("math.greatest(state.a, 2) > int(state.b)") == ["state.a", "state.b"])
        #expect(try names("optional.of(state.n) == x || type(x) == optional_type") == ["state.n", "x", "x"])
        #expect(try names("ip(state.a) == x && type(x) == net.IP") == ["state.a", "x", "x"])
        #expect(try names("ip.isCanonical(y)") == ["y"])
        #expect(try names("regex.extract(state.a, state.b)") == ["state.a", "state.b"])
        #expect(try names("net.other") == ["net.other"])
        #expect(try names("google.other == 1") == ["google.other"])
    }
}
