import Diagnostics
import Expressions
import Records
import Testing

@Suite("optionals over records")
struct OptionalTests {
    private func world() throws -> World {
        var world = World()
        try world.set("items", .list([.int(1), .int(-2), .int(3)]))
        try world.set("nick", .string("bo"))
        try world.set("array", .list([.double(0.5), .double(1.5), .double(2.5)]))
        try world.set("points", .list([.record([("x", .double(1)), ("y", .double(2))])]))
        try world.set("modes", .list([.string("busy"), .string("idle")]))
        return world
    }

    @Test(
        "of fields have no value for null",
        arguments: [
            ("state.?a", "optional(0)", "optional(int)"), ("state.?maybe", "none", "optional(int)"),
            ("state.?nick", "optional(\"bo\")", "optional(string)"),
            ("state.?mode", "optional(\"idle\")", "optional(string)"),
            ("state.?mood", "none", "optional(string)"), ("state.?nick.value()", "\"bo\"", "string"),
            ("state.?maybe.orValue(7)", "7", "int"), ("state.?`a`.value()", "0", "int"),
            ("state.?place", "none", "optional(record)"), ("state.?place.x", "none", "optional(double)"),
            ("state.?place.?x.orValue(1.5)", "1.5", "double"),
            ("has(state.?place.x)", "false", "bool"), ("has(state.?pos.x)", "true", "bool"),
            ("state.?pos.x.value()", "0.0", "double"),
            ("[state.pos].map(p, p.?x.value())", "[0.0]", "list(double)"),
            ("state.?handle.hasValue()", "true", "bool"), ("event.?text.hasValue()", "true", "bool"),
            ("optional.of(state.maybe)", "optional(null)", "optional(int or null)"),
            ("optional.ofNonZeroValue(state.maybe)", "none", "optional(int)"),
            ("optional.ofNonZeroValue(state.since)", "none", "optional(timestamp)"),
            ("optional.ofNonZeroValue(state.handle)", "none", "optional(pointer)"),
        ])
    func fields(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test(
        "of elements have no value beyond the ends",
        arguments: [
            ("state.items[?0]", "optional(1)", "optional(int)"), ("state.items[?3]", "none", "optional(int)"),
            ("state.items[?-1].hasValue()", "false", "bool"),
            ("state.items[?9223372036854775807].orValue(9)", "9", "int"),
            ("state.items[?state.big]", "optional(1)", "optional(int)"),
            ("state.items[?18446744073709551615u].hasValue()", "false", "bool"),
            ("state.array[?2].value()", "2.5", "double"), ("state.array[?3].hasValue()", "false", "bool"),
            ("state.points[?0].x.value()", "1.0", "double"),
            ("state.points[?1].x.hasValue()", "false", "bool"),
            ("state.points[?1].?y.orValue(state.points[?0].y.orValue(0.0))", "2.0", "double"),
            ("state.modes[?0] == optional.of('busy')", "true", "bool"),
            ("state.modes[?1].value() == 'idle'", "true", "bool"),
            ("state.names[?0].orValue('nobody')", "\"nobody\"", "string"),
            ("state.?items[1].value()", "-2", "int"), ("state.?items[?3].hasValue()", "false", "bool"),
            ("{'a': state.a}[?state.name]", "none", "optional(int)"),
            ("(state.on ? state.items : [7])[?0].value()", "7", "int"),
            ("{'a': state.items}.?b[1 / 0]", "none", "optional(int)"),
            ("{'a': state.items}.?b[?1 / state.a]", "none", "optional(int)"),
            ("dyn(state.?maybe)[1 / state.a] == optional.none()", "true", "bool"),
        ])
    func elements(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test(
        "stand in lists, maps and macros",
        arguments: [
            ("[?state.?maybe, 2]", "[2]", "list(int)"),
            ("[?state.?nick, 'a', ?state.names[?0]]", "[\"bo\", \"a\"]", "list(string)"),
            ("{?'a': state.?maybe, 'b': 2}", "{\"b\": 2}", "map(string, int)"),
            ("{?state.name: state.?a}", "{\"\": 0}", "map(string, int)"),
            ("state.mode in ['busy', ?optional.of('idle')]", "true", "bool"),
            ("state.mode in ['busy', ?optional.none()]", "false", "bool"),
            ("state.?nick.optMap(n, n + '!')", "optional(\"bo!\")", "optional(string)"),
            ("state.?maybe.optMap(n, n + 1).orValue(0)", "0", "int"),
            ("state.?nick.optFlatMap(n, optional.ofNonZeroValue(n.size() - 2))", "none", "optional(int)"),
            ("state.?a.optMap(state, state + .state.b)", "optional(0)", "optional(int)"),
            ("state.items.map(x, state.items[?x].orValue(0))", "[-2, 0, 0]", "list(int)"),
            ("state.items.filter(x, {'k': x}.?k.orValue(0) > 0)", "[1, 3]", "list(int)"),
            ("state.items.map(i, optional.of(i).optMap(j, i + j).value())", "[2, -4, 6]", "list(int)"),
            ("cel.bind(o, state.?nick, o.or(o).optMap(n, n + n).value())", "\"bobo\"", "string"),
            ("state.?maybe.or(state.items[?1]).or(optional.of(0))", "optional(-2)", "optional(int)"),
            ("state.on ? optional.of(1) : optional.none()", "none", "optional(int)"),
            ("state.on ? optional.none() : state.?nick", "optional(\"bo\")", "optional(string)"),
            ("state.on ? state.items : []", "[]", "list(int)"),
            ("state.on ? [] : state.names", "[]", "list(string)"),
            ("optional.none().orValue(2)", "2", "int"),
            ("optional.none().or(state.?a)", "optional(0)", "optional(int)"),
            ("state.?maybe.or(optional.none())", "none", "optional(int)"),
            ("state.?big.orValue(2)", "0u", "uint"), ("state.?maybe.orValue(null)", "null", "int or null"),
            ("state.?a.orValue(state.maybe)", "0", "int or null"),
            ("optional.of(state.maybe).orValue(1)", "null", "int or null"),
            ("state.?place.orValue({'x': 1.0, 'y': 2.0}).x", "1.0", "dyn"),
            ("state.?items.orValue([])", "[1, -2, 3]", "list(int)"),
            ("state.?names.orValue([]).map(n, n + '!')", "[]", "list(string)"),
            ("optional.of(1).orValue(1 / 0)", "1", "int"),
            ("(state.on ? null : optional.of(5)).orValue(1)", "5", "int"),
        ])
    func parts(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test(
        "are the ends of lists, and of lists of optionals the values",
        arguments: [
            ("state.items.first()", "optional(1)", "optional(int)"),
            ("state.items.last().value()", "3", "int"),
            ("state.array.last()", "optional(2.5)", "optional(double)"),
            ("state.points.first().x.value()", "1.0", "double"),
            ("state.points.last().?y.orValue(0.0)", "2.0", "double"),
            ("state.names.first()", "none", "optional(string)"),
            ("state.names.last().orValue('nobody')", "\"nobody\"", "string"),
            ("state.modes.first() == optional.of('busy')", "true", "bool"),
            ("state.items.filter(x, x < 0).last()", "optional(-2)", "optional(int)"),
            ("(state.on ? state.items : [7]).first().value()", "7", "int"),
            ("state.items.map(x, state.items.last().value() - x)", "[2, 5, 0]", "list(int)"),
            ("[].first()", "none", "optional(dyn)"),
            ("[state.?maybe, state.?a].unwrapOpt()", "[0]", "list(int)"),
            ("optional.unwrap([state.?nick, state.names[?0]])", "[\"bo\"]", "list(string)"),
            ("optional.unwrap([])", "[]", "list(dyn)"),
            ("state.items.map(x, state.items[?x]).unwrapOpt()", "[-2]", "list(int)"),
        ])
    func ends(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test("leave the names free that their functions use")
    func names() throws {
        let record = RecordType([("optional", .integer(.i64)), ("value", .string)])
        let scope = Scope([
            Scope.Variable(name: "optional", type: .record(record), slot: 0),
            Scope.Variable(name: "optional_type", type: .bool, slot: 1),
        ])
        #expect(try Expression("optional.optional + 1", in: scope).type == .int)
        #expect(try Expression("optional.?value.orValue('')", in: scope).type == .string)
        #expect(try Expression("!optional_type", in: scope).type == .bool)
        #expect(outcome("[1].map(optional, optional + 1)") == "[2]")
        #expect(outcome("cel.bind(value, 1, value)") == "1")
    }

    @Test("take steps in macros for what they copy")
    func steps() throws {
        var world = World()
        try world.set("items", .list((0..<2000).map { .int($0) }))
        try world.set("names", .list([.string(String(repeating: "a", count: 8_000_000))]))
        for copying in [
            "state.?items.hasValue()", "optional.of(state.items).hasValue()", "state.names[?0].hasValue()",
            "state.names.first().hasValue()", "[optional.of(state.items)].unwrapOpt() != []",
        ] {
            #expect(
                outcome("state.items.all(x, \(copying))", world)
                    == "fault: the evaluation takes more than 1000000 steps")
        }
        #expect(outcome("state.items.all(x, state.items[?x].hasValue())", world) == "true")
        #expect(outcome("state.items.all(x, state.items.last().value() >= x)", world) == "true")
        // An optional that is there already is not copied again.
        for reading in [
            "o.hasValue()", "o.value().size() > 0", "o.or(o).hasValue()", "o.orValue([]).size() > 0",
        ] {
            let text = "cel.bind(o, optional.of(state.items), state.items.all(x, \(reading)))"
            #expect(outcome(text, world) == "true", "\(text)")
        }
    }

    @Test("are bounded in size and depth")
    func limits() {
        let doubled = String(repeating: ".optMap(x, x + x)", count: 60)
        #expect(
            fault("optional.of('0123456789')\(doubled)").hasSuffix(
                ": the evaluation takes more than 1000000 steps"))
        #expect(outcome("lists.range(100000).map(x, {'b': 2}.?a).filter(x, x.hasValue())") == "[]")
        let deep =
            String(repeating: "state.?a.or(", count: 60) + "state.?a" + String(repeating: ")", count: 60)
        #expect(outcome(deep) == "optional(0)")
        let nested = String(repeating: "optional.of(", count: 98) + "1" + String(repeating: ")", count: 98)
        #expect(outcome("\(nested) == \(nested)") == "true")
        #expect(fault("optional.of(\(nested))\(String(repeating: ".value()", count: 98))").hasPrefix("E006"))
        let indices =
            String(repeating: "state.items[?", count: 40) + "0" + String(repeating: "].orValue(0)", count: 40)
        #expect(outcome(indices, World()) == "0")
    }
}

@Suite("faults of optionals")
struct OptionalFaultTests {
    @Test(
        "say what does not go together",
        arguments: [
            ("state.?maybe.value()", "E036 0..<20: the optional has no value"),
            (
                "optional.none().value()",
                "E036 0..<23: the optional has no value"
            ),
            ("state.place.?x", "E036 0..<11: `state.place` is null"),
            ("optional.of(1).orValue('x')", "E013 0..<27: `orValue` does not take optional(int) and string"),
            ("optional.of(1).orValue(1.0)", "E013 0..<27: `orValue` does not take optional(int) and double"),
            (
                "state.?ratio.orValue(0)",
                "E013 0..<23: `orValue` does not take optional(double) and int = write `0.0`"
            ),
            (
                "optional.of(state.maybe).orValue(1.0)",
                "E013 0..<37: `orValue` does not take optional(int or null) and double"
            ),
            ("optional.of(1).or(2)", "E013 0..<20: `or` does not take optional(int) and int"),
            (
                "optional.of(1).or(optional.of('a'))",
                "E013 0..<35: `or` does not take optional(int) and optional(string)"
            ),
            ("optional.of(1).or()", "E013 0..<19: `or` takes 1 argument, not 0"),
            ("optional.of(1).orValue(1, 2)", "E013 0..<28: `orValue` takes 1 argument, not 2"),
            ("optional.none(1)", "E013 0..<16: `optional.none` takes 0 arguments, not 1"),
            ("state.a.orValue(1)", "E013 0..<18: `orValue` does not take int and int"),
            (
                "state.?nick + 'a'",
                "E013 0..<17: `+` does not take optional(string) and string = write `state.?nick.orValue(…)`"
            ),
            (
                "state.?nick.size()",
                "E013 0..<18: `size` does not take optional(string) = write `state.?nick.orValue(…)`"
            ),
            (
                "state.?on && true",
                "E014 0..<9: `&&` needs bool, found optional(bool) = write `state.?on.orValue(…)`"
            ),
            ("state.?nick && true", "E014 0..<11: `&&` needs bool, found optional(string)"),
            (
                "optional.of(1) == 1",
                "E016 0..<19: `==` compares optional(int) with int, which are never equal"
            ),
            ("state.?a == null", "E016 0..<16: `state.?a` is optional(int), which is never null"),
            (
                "optional.of(1) != optional.of('a')",
                "E016 0..<34: `!=` compares optional(int) with optional(string), which are never equal"
            ),
            ("[?1]", "E014 2..<3: `?` needs an optional, found int = write `optional.of(1)`"),
            (
                "{?'a': state.a}",
                "E014 7..<14: `?` needs an optional, found int = write `optional.of(state.a)`"
            ),
            ("state.items.unwrapOpt()", "E013 0..<23: `unwrapOpt` does not take list(int)"),
            ("optional.unwrap([1])", "E013 0..<20: `optional.unwrap` does not take list(int)"),
            (
                "[state.maybe].unwrapOpt()",
                "E013 0..<25: `unwrapOpt` does not take list(int or null)"
            ),
            (
                "[optional.of(1), dyn(2)].unwrapOpt()",
                "E038 0..<36: expected a list of optionals, found int in it"
            ),
            ("state.name.first()", "E013 0..<18: `first` does not take string"),
            (
                "state.?items.first()",
                "E013 0..<20: `first` does not take optional(list(int)) = write `state.?items.orValue(…)`"
            ),
            ("[1].last(1)", "E013 0..<11: `last` takes 0 arguments, not 1"),
            ("[?dyn(1)]", "E038 2..<8: `?` needs an optional, found int"),
            ("{?'a': optional.of(1), 'a': 2}", "E037 23..<26: the key `\"a\"` is given twice"),
            (
                "{optional.of(1): 1}",
                "E037 1..<15: the key of a map must be bool, int, uint or string, found optional(int)"
            ),
            (
                "state.a.optMap(n, 2)",
                "E014 0..<7: `optMap` needs an optional, found int = write `optional.of(state.a)`"
            ),
            (
                "state.?a.optFlatMap(n, n)",
                "E014 23..<24: `optFlatMap` needs an optional as its value, found int = write `optMap`"
            ),
            ("state.?a.optMap(n)", "E013 0..<18: `optMap` takes 2 arguments, not 1"),
            (
                "state.?a.optMap(1, 2)",
                "E020 16..<17: `optMap` needs a name for the value first, such as `optMap(x, …)`"
            ),
            (
                "optional.of([1]).map(x, x)",
                "E014 0..<16: `map` needs a list or a map, found optional(list(int))"
            ),
            (
                "state.?pos.z",
                "E011 11..<12: `state.?pos` has no field `z` | it has `x`, `y` = did you mean `x`?"
            ),
            ("state.a.?b", "E011 9..<10: int has no field `b`"),
            ("optional.of(1).x", "E011 15..<16: optional(int) has no field `x`"),
            ("has(state.?nick)", "E019 0..<16: `has` needs one field, such as `has(state.name)`"),
            ("state[?'a']", "E014 0..<5: a record has no elements = write `state.?a`"),
            (
                "state[?'zz']",
                "E014 0..<5: a record has no elements = write a field with a dot, as in `state.?name`"
            ),
            ("state.items[?'a']", "E014 13..<16: the index of a list must be int, found string"),
            ("{'a': 1}[?2]", "E014 10..<11: the keys of this map are string, found int"),
            ("state.a[?0]", "E014 0..<7: int has no elements"),
            ("optional.of(1)[0]", "E014 0..<14: optional(int) has no elements"),
            ("dyn(1).hasValue()", "E038 0..<17: `hasValue` does not take int"),
            ("dyn(1).or(optional.of(1))", "E038 0..<6: `or` needs an optional, found int"),
            ("dyn({'a': 1}).?a.b", "E038 17..<18: int has no field `b`"),
            ("dyn(1)[?0]", "E038 0..<6: int has no elements"),
            ("hasValue(state.?a)", "E012 0..<8: `hasValue` is a method = write `….hasValue(…)`"),
            (
                "optional.off(1)",
                "E012 9..<12: unknown function `optional.off` | known functions: `optional.none`, `optional.of`, `optional.ofNonZeroValue`, `optional.unwrap` = did you mean `optional.of`?"
            ),
            ("size(?state.a)", "E005 5..<6: expected a value, found `?`"),
            ("state.?a()", "E005 8..<9: expected an operator or the end, found `(`"),
            ("state.?", "E005 7..<7: expected the name of a field, found the end of the expression"),
            ("[1][?", "E005 5..<5: expected a value, found the end of the expression"),
            ("[?", "E005 2..<2: expected a value, found the end of the expression"),
            ("{?", "E005 2..<2: expected a value, found the end of the expression"),
        ])
    func faults(text: String, wanted: String) { #expect(fault(text) == wanted) }

    @Test("of a missing value have a help")
    func help() throws {
        let help = ["test it with `hasValue()`, or write `orValue(…)` in place of `value()`"]
        do {
            _ = try World().evaluate("state.?maybe.value()")
            Issue.record("it has no value")
        } catch let fault as EvaluationFault { #expect(fault.textFault.help == help) }
    }
}
