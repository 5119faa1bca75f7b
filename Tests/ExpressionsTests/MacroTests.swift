import Diagnostics
import Expressions
import Records
import TestSupport
import Testing

@Suite("macros over records")
struct MacroTests {
    private func world() throws -> World {
        var world = World()
        try world.set("items", .list([.int(1), .int(-2), .int(3)]))
        try world.set("names", .list([.string("a"), .string("bc")]))
        try world.set(
            "points",
            .list([
                .record([("x", .double(1)), ("y", .double(2))]),
                .record([("x", .double(-1)), ("y", .double(0))]),
            ]))
        try world.set("array", .list([.double(0.5), .double(1.5), .double(2.5)]))
        try world.set("modes", .list([.string("busy"), .string("idle")]))
        try world.set("a", .int(2))
        return world
    }

    @Test(
        "read the elements where they lie",
        arguments: [
            ("state.items.all(x, x > -3)", "true"), ("state.items.exists(x, x == state.a + 1)", "true"),
            ("state.items.exists_one(x, x > 0)", "false"), ("state.items.filter(x, x > 0)", "[1, 3]"),
            ("state.items.map(x, x * state.a)", "[2, -4, 6]"),
            ("state.items.map(x, x > 0, string(x))", "[\"1\", \"3\"]"),
            ("state.names.map(n, n + '!')", "[\"a!\", \"bc!\"]"),
            ("state.names.exists(n, n.size() == 2)", "true"),
            ("state.points.map(p, p.x + p.y)", "[3.0, -1.0]"),
            ("state.points.filter(p, p.x < 0.0).size()", "1"),
            ("state.points.exists(p, has(p.x))", "true"), ("state.array.all(d, d > 0.0)", "true"),
            ("state.modes.exists(m, m == 'busy')", "true"), ("state.modes.map(m, m)", "[\"busy\", \"idle\"]"),
            ("state.items.map(x, state.names.map(n, n + string(x)).size())", "[2, 2, 2]"),
            ("state.points.map(p, state.points.exists(q, q.x > p.x))", "[false, true]"),
            ("state.items.map(state, state + 1)", "[2, -1, 4]"),
            ("state.items.filter(x, .state.a == x)", "[]"),
            ("(state.on ? state.items : [7]).map(x, x)", "[7]"),
            ("[state.a, state.b].map(x, x + 1)", "[3, 1]"),
            ("{state.name: state.a}.exists(k, k == '')", "true"),
            ("state.items.map(x, {1: 'a'}[1])", "[\"a\", \"a\", \"a\"]"),
            ("state.items.map(x, {'k': x}.k + {'k': 1}.k)", "[2, -1, 4]"),
            ("state.items.filter(x, 'k' in {'k': 1} && {1: 'a'} == {1: 'a'}).size()", "3"),
            ("state.items.filter(x, [1, 2][1] == x || {1: {2: 3}}[1][2] == x)", "[3]"),
            ("state.items.transformList(i, x, x * 10 + i)", "[10, -19, 32]"),
            ("state.items.transformMap(i, x, x > 0, x)", "{0: 1, 2: 3}"),
            ("state.items.transformMapEntry(i, x, {x: i})", "{1: 0, -2: 1, 3: 2}"),
            ("state.names.transformMapEntry(i, n, i > 0, {n: state.items.size()})", "{\"bc\": 3}"),
            (
                "state.items.transformMapEntry(i, x, x > 0 ? {state.name: x} : {})",
                "fault: the key `\"\"` is given twice"
            ),
            ("state.points.all(i, p, p.y == 2.0 - 2.0 * double(i))", "true"),
            ("state.array.exists_one(i, d, d > 1.0 && i > 1)", "true"),
            (
                "state.names.transformList(i, n, state.items.transformList(j, x, n + string(i + j + x)).size())",
                "[3, 3]"
            ),
            ("cel.bind(items, state.items, items.map(x, x + items.size()))", "[4, 1, 6]"),
            ("cel.bind(state, 2, state + .state.a)", "4"),
            ("state.items.map(x, x / 0)", "fault: `1 / 0` divides by zero"),
            ("math.greatest(state.a, state.b, 1)", "2"), ("state.name.matches('^$')", "true"),
            ("now.getFullYear()", "1970"), ("type(state.big) == uint", "true"),
            ("dyn(state.a) == 'x'", "false"),
        ])
    func elements(text: String, wanted: String) throws {
        #expect(outcome(text, try world()) == wanted)
    }

    @Test("are conditions and stores like all other expressions")
    func uses() throws {
        let world = try world()
        let predicate = try Expression("state.items.exists(x, x < 0)", in: World.scope).predicate()
        #expect(try world.withFrame { frame in try predicate.evaluate(frame) })
        for (text, type, wanted) in [
            ("state.items.filter(x, x > 0)", ValueType.list(.integer(.u8)), "[1,3]"),
            ("state.items.exists(x, x < 0)", .bool, "true"),
            ("state.on ? [] : state.names.map(n, n.size())", .list(.integer(.i32)), "[1,2]"),
            (
                "{'x': 1.0, 'y': double(state.items.filter(x, x > 0).size())}", .record(World.point),
                #"{"x":1.0,"y":2.0}"#
            ),
        ] {
            let store = try Expression(text, in: World.scope).store(as: type)
            var target = Record(RecordType([("target", type)]))
            // Safe because the record's only field is of the store's type.
            try world.withFrame { frame in try unsafe store.evaluate(frame, into: target.unsafeMutableBase())
            }
            #expect(target["target"]?.json == wanted, "\(text)")
        }
        let narrow = try Expression("state.items.map(x, x)", in: World.scope).store(as: .list(.integer(.u8)))
        var target = Record(RecordType([("target", .list(.integer(.u8)))]))
        #expect(throws: EvaluationFault.self) {
            try world.withFrame { frame in try unsafe narrow.evaluate(frame, into: target.unsafeMutableBase())
            }
        }
    }

    @Test("nest as deep as expressions may")
    func depth() throws {
        let count = 48
        let names = (0..<count).map { "v\($0)" }
        let text = names.reversed().reduce("true") { inner, name in "[1].all(\(name), \(inner))" }
        #expect(outcome(text) == "true")
        let sum = names.joined(separator: " + ")
        let reading = names.reversed().reduce("\(sum) == \(count)") { inner, name in
            "[1].all(\(name), \(inner))"
        }
        #expect(outcome(reading) == "true")
    }

    @Test("take no more steps than allowed, and say so")
    func meter() throws {
        let list = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
        let text = (0..<9).reduce("true") { inner, index in "\(list).all(v\(index), \(inner))" }
        #expect(outcome(text) == "fault: the evaluation takes more than 1000000 steps")
        let doubling = "['aa']" + String(repeating: ".map(x, x + x)", count: 40)
        #expect(outcome(doubling) == "fault: the evaluation takes more than 1000000 steps")
        let sharing = "[1]" + String(repeating: ".map(x, [x, x])", count: 60)
        #expect(outcome(sharing) == "fault: the evaluation takes more than 1000000 steps")
        var world = World()
        try world.set("items", .list((0..<2000).map { .int($0) }))
        try world.set("name", .string(String(repeating: "a", count: 4_000_000)))
        #expect(
            outcome("state.items.all(x, x in state.items)", world)
                == "fault: the evaluation takes more than 1000000 steps")
        #expect(
            outcome("state.items.all(x, state.name.contains('b') || x >= 0)", world)
                == "fault: the evaluation takes more than 1000000 steps")
        #expect(outcome("state.items.all(x, size(state.items) == 2000)", world) == "true")
        try world.set("name", .string(String(repeating: "a,", count: 20_000)))
        for reading in ["!('b' in state.name.split(','))", "state.name.split(',')[19999] == 'a'"] {
            #expect(
                outcome("state.items.all(x, \(reading))", world)
                    == "fault: the evaluation takes more than 1000000 steps")
        }
        let growing = "'a'" + String(repeating: ".replace('a', 'aaaaaaaa')", count: 30)
        #expect(outcome(growing) == "load: the text has more than the 4194304 bytes allowed")
    }
}
