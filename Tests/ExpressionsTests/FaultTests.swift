import Diagnostics
import Expressions
import Records
import Testing

@Suite("faults")
struct FaultTests {
    private static let inScope = "in scope: `state`, `event`, `result`, `now`"

    @Test(
        "of names, types and grammar point at the smallest part and say what to do",
        arguments: [
            ("stat.a > 1", "E010 0..<4: unknown name `stat` | \(inScope) = did you mean `state`?"),
            ("1 + foo", "E010 4..<7: unknown name `foo` | \(inScope)"),
            (
                "event.tto",
                "E011 6..<9: `event` has no field `tto` | it has `b`, `to`, `text`, `d` = did you mean `to`?"
            ),
            (
                "(state.pos).z",
                "E011 12..<13: `state.pos` has no field `z` | it has `x`, `y` = did you mean `x`?"
            ),
            ("has(event.nope)", "E011 10..<14: `event` has no field `nope` | it has `b`, `to`, `text`, `d`"),
            ("state.a.x", "E011 8..<9: int has no field `x`"),
            ("'a'.x", "E011 4..<5: string has no field `x`"),
            ("state.items.x", "E011 12..<13: list(int) has no field `x`"),
            ("has(state)", "E019 0..<10: `has` needs one field, such as `has(state.name)`"),
            ("has()", "E019 0..<5: `has` needs one field, such as `has(state.name)`"),
            (
                "siz('a')",
                "E012 0..<3: unknown function `siz` | known functions: `bool`, `bytes`, `cidr`, `cstring`, `double`, `duration`, `dyn`, `int`, `ip`, `isCIDR`, `isIP`, `matches` and 5 more = did you mean `size`?"
            ),
            (
                "'a'.startWith('a')",
                "E012 4..<13: unknown method `startWith` | known methods: `charAt`, `contains`, `containsCIDR`, `containsIP`, `distinct`, `endsWith`, `family`, `first`, `flatten`, `format`, `getDate`, `getDayOfMonth` and 38 more = did you mean `startsWith`?"
            ),
            (
                "math.greatst(1, 2)",
                "E012 5..<12: unknown function `math.greatst` | known functions: `math.abs`, `math.bitAnd`, `math.bitNot`, `math.bitOr`, `math.bitShiftLeft`, `math.bitShiftRight`, `math.bitXor`, `math.ceil`, `math.floor`, `math.greatest`, `math.isFinite`, `math.isInf` and 6 more = did you mean `math.greatest`?"
            ),
            ("'a'.matches('(')", "E041 12..<15: `(` is not a valid regular expression: missing ): ("),
            ("[1].map(1, 2)", "E020 8..<9: `map` needs a name for the element first, such as `map(x, …)`"),
            (
                "[1].all(i, 2, true)",
                "E020 11..<12: `all` needs names for the position and the element first, such as `all(i, x, …)`"
            ),
            ("[1].all(x, x, true)", "E020 11..<12: `all` needs two different names"),
            (
                "cel.bind(1, 2, 3)",
                "E020 9..<10: `cel.bind` needs a name for the value first, such as `cel.bind(x, …)`"
            ),
            ("[1].transformMap(i, 2)", "E013 0..<22: `transformMap` takes 3 or 4 arguments, not 2"),
            (
                "state.items.transformMapEntry(i, x, [x])",
                "E014 36..<39: `transformMapEntry` needs a map as its value, found list(int)"
            ),
            (
                "state.items.transformMapEntry(i, x, x, {x: i})",
                "E014 36..<37: `transformMapEntry` needs bool, found int = compare it, as in `x != 0`"
            ),
            ("cel.bind(x, 2)", "E013 0..<14: `cel.bind` takes 3 arguments, not 2"),
            ("cel.block([1], 2)", "E012 4..<9: unknown function `cel.block` | known functions: `cel.bind`"),
            ("state.all(x, true)", "E014 0..<5: `all` needs a list or a map, found record"),
            (
                "state.items.all(x, x)",
                "E014 19..<20: `all` needs bool, found int = compare it, as in `x != 0`"
            ),
            (
                "state.items.map(x, x + y)",
                "E010 23..<24: unknown name `y` | in scope: `x`, `state`, `event`, `result`, `now` = did you mean `x`?"
            ),
            (
                "state.points.exists(p, p.z > 0.0)",
                "E011 25..<26: `p` has no field `z` | it has `x`, `y` = did you mean `x`?"
            ),
            (
                "state.`a-b`",
                "E011 6..<11: `state` has no field `a-b` | it has `a`, `b`, `c`, `off`, `on`, `small`, `word`, `big`, `load`, `ratio`, `name`, `title` and 16 more"
            ),
            ("state.a == type(1)", "E016 0..<18: `==` compares int with type, which are never equal"),
            ("startsWith('a', 'b')", "E012 0..<10: `startsWith` is a method = write `….startsWith(…)`"),
            ("'1'.int()", "E012 4..<7: `int` is not a method = write `int(…)`"),
            ("1 + state.load", "E013 0..<14: `+` does not take int and double = write `1.0`"),
            (
                "state.a + state.load",
                "E013 0..<20: `+` does not take int and double = write `double(state.a)`"
            ),
            ("state.big - state.a", "E013 0..<19: `-` does not take uint and int = write `int(state.big)`"),
            ("'n: ' + state.a", "E013 0..<15: `+` does not take string and int = write `string(state.a)`"),
            (
                "state.wait < '5s'",
                "E013 0..<17: `<` does not take duration and string = write `duration('5s')`"
            ), ("!state.a", "E013 0..<8: `!` does not take int"),
            ("(1 + true) * 2", "E013 1..<9: `+` does not take int and bool"),
            ("size(state)", "E013 0..<11: `size` does not take record"),
            (
                "state.a && true",
                "E014 0..<7: `&&` needs bool, found int = compare it, as in `state.a != 0`"
            ), ("state.name ? 1 : 2", "E014 0..<10: the condition before `?` needs bool, found string"),
            ("state['a']", "E014 0..<5: a record has no elements = write `state.a`"),
            (
                "state[0]",
                "E014 0..<5: a record has no elements = write a field with a dot, as in `state.name`"
            ),
            ("state.a[0]", "E014 0..<7: int has no elements"),
            ("state.items['a']", "E014 12..<15: the index of a list must be int, found string"),
            ("[1][0.0]", "E014 4..<7: the index of a list must be int, found double"),
            ("{'a': 1}[1]", "E014 9..<10: the keys of this map are string, found int"),
            ("{1.5: 1}", "E037 1..<4: the key of a map must be bool, int, uint or string, found double"),
            ("{1: 2}.a", "E011 7..<8: map(int, int) has no field `a`"),
            (
                "state.mode == 'bussy'",
                "E015 14..<21: `bussy` is not one of the members of this enumeration | it has `idle`, `busy`, `done` = did you mean `busy`?"
            ),
            (
                "'x' != state.mode",
                "E015 0..<3: `x` is not one of the members of this enumeration | it has `idle`, `busy`, `done`"
            ),
            (
                "state.mood == 'x'",
                "E015 14..<17: `x` is not one of the members of this enumeration | it has `idle`, `busy`, `done`"
            ),
            (
                "state.mode in ['idle', 'gone']",
                "E015 23..<29: `gone` is not one of the members of this enumeration | it has `idle`, `busy`, `done` = did you mean `done`?"
            ),
            (
                "state.name == 1",
                "E016 0..<15: `==` compares string with int, which are never equal = write `string(1)`"
            ), ("state.a == null", "E016 0..<15: `state.a` is int, which is never null"),
            ("'a' in state.items", "E016 0..<3: string is never in list(int)"),
            ("state == event", "E016 0..<14: `==` compares record with record, which are never equal"),
            (
                "state.wait == '5s'",
                "E016 0..<18: `==` compares duration with string, which are never equal = write `duration('5s')`"
            ),
            ("", "E005 0..<0: the expression is empty"), ("  ", "E005 0..<2: the expression is empty"),
            ("// only", "E005 0..<7: the expression is empty"),
            ("1 +", "E005 3..<3: expected a value, found the end of the expression"),
            ("(1", "E005 2..<2: expected `)`, found the end of the expression"),
            ("1 2", "E005 2..<3: expected an operator or the end, found a number"),
            ("1)", "E005 1..<2: expected an operator or the end, found `)`"),
            (
                "[1, 2",
                "E005 5..<5: expected `,` or `]`, found the end of the expression"
            ), ("{1}", "E005 2..<3: expected `:` and the value of this key, found `}`"),
            ("{1: 2", "E005 5..<5: expected `,` or `}`, found the end of the expression"),
            ("size('a',)", "E005 8..<9: expected an argument after `,`"),
            ("a.1", "E005 1..<3: expected an operator or the end, found a number"),
            ("a.'b'", "E005 2..<5: expected the name of a field, found a string"),
            (
                "true ? 1",
                "E005 8..<8: expected `:` and the other value, found the end of the expression"
            ), ("[1][0", "E005 5..<5: expected `]`, found the end of the expression"),
            ("true and false", "E005 5..<8: expected an operator or the end, found `and` = write `&&`"),
            ("not true", "E005 4..<8: expected an operator or the end, found `true`"),
            ("in", "E005 0..<2: expected a value, found `in`"),
            ("[,]", "E005 1..<2: expected a value, found `,`"),
            ("a.in", "E005 2..<4: expected the name of a field, found `in`"),
            (".", "E005 1..<1: expected a name, found the end of the expression"),
            ("if", "E008 0..<2: `if` is a reserved word of the expression language"),
            ("1 /* x */", "E005 3..<4: expected a value, found `*`"),
            ("b'a' 'b'", "E005 5..<8: expected an operator or the end, found a string"),
        ])
    func load(text: String, wanted: String) {
        #expect(fault(text) == wanted)
    }

    @Test("say of messages that they are not supported yet")
    func unsupported() {
        #expect(fault("Point{x: 1}") == "E009 5..<6: building a message `Point{…}` is not supported yet")
        #expect(
            fault("a.b.Point{x: 1}") == "E009 9..<10: building a message `a.b.Point{…}` is not supported yet")
    }

    @Test("of a wide record name only its first fields")
    func wideRecord() {
        #expect(
            fault("state.zzzzzz")
                == "E011 6..<12: `state` has no field `zzzzzz` | it has `a`, `b`, `c`, `off`, `on`, `small`, `word`, `big`, `load`, `ratio`, `name`, `title` and 16 more"
        )
    }

    @Test("of evaluation point at the smallest part that fails")
    func evaluation() throws {
        var world = World()
        try world.set("a", .int(.max))
        #expect(
            fault("state.b == 0 && 5 + (state.a + 1) > 2", world)
                == "E030 21..<32: `9223372036854775807 + 1` overflows int")
        #expect(
            fault("1 + state.a / state.b", world) == "E031 4..<21: `9223372036854775807 / 0` divides by zero")
        #expect(fault("'größe'.size() % state.b", world) == "E031 0..<26: `5 % 0` divides by zero")
    }

    @Test("refuse nesting and length that could exhaust the host")
    func limits() {
        func nested(_ open: String, _ inner: String, _ close: String, _ count: Int) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        #expect(outcome(nested("(", "1", ")", 99)) == "1")
        #expect(outcome(nested("-", "1", "", 99)) == "-1")
        #expect(outcome(nested("[", "", "]", 100)) == nested("[", "", "]", 100))
        #expect(outcome("1" + nested(" + 1", "", "", 99)) == "100")
        #expect(outcome("true" + nested(" && true", "", "", 5000)) == "true")
        #expect(outcome("false" + nested(" || false", "", "", 5000)) == "false")
        let tooDeep = "the expression is nested deeper than 100 levels = split it into several expressions"
        #expect(fault(nested("(", "1", ")", 100)) == "E006 100..<101: \(tooDeep)")
        #expect(fault(nested("(", "1", ")", 30_000)) == "E006 100..<101: \(tooDeep)")
        #expect(fault(nested("!", "true", "", 60_000)) == "E006 100..<101: \(tooDeep)")
        #expect(fault(nested("[", "", "]", 101)) == "E006 100..<101: \(tooDeep)")
        #expect(fault("1" + nested(" + 1", "", "", 100)) == "E006 0..<401: \(tooDeep)")
        #expect(fault("state" + nested(".a", "", "", 200)) == "E006 0..<205: \(tooDeep)")
        #expect(fault(nested("true ? 1 : ", "1", "", 5000)) == "E006 1096..<1097: \(tooDeep)")
        #expect(
            fault(String(repeating: " ", count: 65_536) + "1")
                == "E007 0..<0: the expression has 65537 bytes, more than the 65536 allowed")
        #expect(outcome(String(repeating: " ", count: 65_535) + "1") == "1")
    }

    @Test("of predicates and in files look like all others")
    func predicate() throws {
        for (text, wanted) in [
            (
                "state.a",
                "E014 0..<7: a condition needs bool, found int = compare it, as in `state.a != 0`"
            ), ("'a'", "E014 0..<3: a condition needs bool, found string"),
            ("state.maybe", "E014 0..<11: a condition needs bool, found int or null"),
        ] {
            let expression = try Expression(text, in: World.scope)
            let fault = #expect(throws: TextFault.self) { try expression.predicate() }
            #expect(fault.map(rendered) == wanted)
        }
        let predicate = try Expression("[true, 1][state.a]", in: World.scope).predicate()
        var world = World()
        #expect(try world.withFrame { frame in try predicate.evaluate(frame) })
        try world.set("a", .int(1))
        let fault = #expect(throws: EvaluationFault.self) {
            try world.withFrame { frame in try predicate.evaluate(frame) }
        }
        #expect(fault?.message == "the value is int, not bool")
        let file = SourceFile(name: "app.toml", text: "when = \"state.lefft > 1\"")
        let text = SourceText(text: "event.lefft > 1", file: file, start: SourcePosition(line: 1, column: 9))
        let unknown = #expect(throws: TextFault.self) { try Expression(text.text, in: World.scope) }
        #expect(
            unknown.map { DiagnosticRenderer().render($0.diagnostic(in: text)) } == """
                error[E011]: `event` has no field `lefft`
                 --> app.toml:1:15
                  |
                1 | when = "state.lefft > 1"
                  |               ^^^^^ it has `b`, `to`, `text`, `d`

                """)
    }
}
