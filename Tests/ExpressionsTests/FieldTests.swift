import Diagnostics
import Expressions
import Records
import Testing

@Suite("fields, lists and maps")
struct FieldTests {
    private func world() throws -> World {
        var world = World()
        try world.set("pos", .record([("x", .double(1.5)), ("y", .double(2))]))
        try world.set("items", .list([.int(10), .int(-20), .int(30)]))
        try world.set("names", .list([.string("a"), .string("bc")]))
        try world.set("points", .list([.record([("x", .double(1)), ("y", .double(2))])]))
        try world.set("array", .list([.double(0.5), .double(1.5), .double(2.5)]))
        try world.set("mode", .string("busy"))
        try world.set("modes", .list([.string("done")]))
        return world
    }

    @Test("nest and index")
    func reading() throws {
        let world = try world()
        let wanted = [
            ("state.pos.x + state.pos.y", "3.5"), (".state.pos.x", "1.5"),
            ("state.pos", "{\"x\": 1.5, \"y\": 2.0}"), ("state.pos == {'y': 2, 'x': 1.5}", "true"),
            ("state.items[0]", "10"), ("state.items[state.a + 1]", "-20"), ("state.items[2u]", "30"),
            ("state.items[1] + 1", "-19"),
            ("state.names[1] == 'bc'", "true"), ("state.names[1].size()", "2"), ("state.points[0].y", "2.0"),
            ("state.array[1]", "1.5"),
            ("state.array[state.a]", "0.5"), ("size(state.items)", "3"), ("state.array.size()", "3"),
            ("size(state.names) == 2", "true"),
            ("state.items + [1]", "[10, -20, 30, 1]"), ("[1] + [] == [1]", "true"), ("[] + []", "[]"),
            ("state.items == [10, -20, 30]", "true"),
            ("10 in state.items", "true"), ("11 in state.items", "false"), ("'bc' in state.names", "true"),
            ("1.5 in state.array", "true"), ("state.items[0] in [1, 10]", "true"),
            ("[1, 2, 3][1]", "2"), ("[[1], [2]][1][0]", "2"), ("{'a': 1}.a", "1"), ("{'a': 1}['a']", "1"),
            ("{1: 'x', 2u: 'y'}[2]", "\"y\""), ("{1u: 1.0, 2: 2.0}[2.0]", "2.0"),
            ("{true: 5}[true]", "5"), ("'a' in {'a': 1}", "true"), ("2.0 in {2: 1}", "true"),
            ("size({'a': 1, 'b': 2})", "2"), ("{'a': {'b': 2}}.a.b", "2"),
            ("[state.pos][0].x", "1.5"), ("[1, 'a'][1] + 'b'", "\"ab\""), ("[1, 'a'][0] + 1", "2"),
            ("[1, 2.5][1] < 3", "true"), ("[true, 1][0] && true", "true"),
            ("state.mode", "\"busy\""), ("state.mode == 'busy'", "true"), ("state.mode != 'idle'", "true"),
            ("state.mode == state.other", "false"), ("'busy' == state.mode", "true"),
            ("state.mode + '!'", "\"busy!\""), ("state.mode in ['idle', 'busy']", "true"),
            ("state.mode.startsWith('b')", "true"), ("state.mode < 'c'", "true"), ("size(state.mode)", "4"),
            ("state.modes[0] == 'done'", "true"), ("state.name == state.mode", "false"),
            ("state.handle == state.handle", "true"), ("state.handle == null", "true"),
            ("null != state.handle", "false"), ("has(state.a)", "true"), ("has(state.pos.x)", "true"),
            ("has({'a': 1}.a)", "true"), ("has({'a': 1}.b)", "false"),
        ]
        for (text, result) in wanted { #expect(outcome(text, world) == result, "\(text)") }
    }

    @Test("fault outside their bounds")
    func bounds() throws {
        let world = try world()
        let wanted = [
            ("state.items[3]", "E032 12..<13: index `3` is outside the list of 3 elements"),
            ("state.items[-1]", "E032 12..<14: index `-1` is outside the list of 3 elements"),
            ("state.items[state.b - 1] > 0", "E032 12..<23: index `-1` is outside the list of 3 elements"),
            ("state.array[3]", "E032 12..<13: index `3` is outside the list of 3 elements"),
            ("state.array[state.a + 9]", "E032 12..<23: index `9` is outside the list of 3 elements"),
            ("state.points[1].x", "E032 13..<14: index `1` is outside the list of 1 element"),
            ("[1, 2][2]", "E032 7..<8: index `2` is outside the list of 2 elements"),
            (
                "[1][18446744073709551615u]",
                "E032 4..<25: index `9223372036854775807` is outside the list of 1 element"
            ),
            ("{'a': 1}.b", "E033 9..<10: the map has no key `\"b\"`"),
            ("{'a': 1}[state.name]", "E033 9..<19: the map has no key `\"\"`"),
            ("{1: 1}[1.5]", "E033 7..<10: the map has no key `1.5`"),
            ("[1, {'a': 1}][0].a", "E038 17..<18: int has no field `a`"),
            ("[1, [2]][1][1]", "E032 12..<13: index `1` is outside the list of 1 element"),
            ("[1, 'a'][1] + 1", "E038 0..<15: `+` does not take string and int"),
            ("[1, null][1] + 1", "E036 0..<12: `[1, null][1]` is null"),
            ("[1, 'a', null][2] + 1", "E038 0..<21: `+` does not take null and int"),
            ("[1, 'a'][0] && true", "E038 0..<11: the value is int, not bool"),
            ("{'a': 1, 'a': 2}", "E037 9..<12: the key `\"a\"` is given twice"),
            ("{1: 1, 1u: 2}", "E037 7..<9: the key `1` is given twice"),
            ("{state.name: 1, state.title: 2}", "E037 16..<27: the key `\"\"` is given twice"),
            (
                "{[1, 'a', null][2]: 1}",
                "E037 1..<18: the key of a map must be bool, int, uint or string, found null"
            ),
        ]
        for (text, result) in wanted { #expect(fault(text, world) == result, "\(text)") }
    }

    @Test("that are optional are a value or null")
    func optionals() throws {
        var world = try world()
        let absent = [
            ("state.maybe", "null"), ("has(state.maybe)", "false"), ("state.maybe == null", "true"),
            ("state.maybe != null", "false"), ("null == state.nick", "true"), ("state.maybe == 5", "false"),
            ("state.maybe != 5", "true"), ("5 == state.maybe", "false"), ("state.nick == 'x'", "false"),
            ("has(state.maybe) && state.maybe > 3", "false"), ("has(state.maybe) ? state.maybe : 7", "7"),
            ("state.maybe + 1", "fault: `state.maybe` is null"),
            ("state.place.x", "fault: `state.place` is null"),
            ("has(state.place.x)", "fault: `state.place` is null"),
            ("size(state.nick)", "fault: `state.nick` is null"), ("state.mood == 'idle'", "false"),
            ("state.mood", "null"), ("state.maybe in [1, null]", "true"),
            ("[state.maybe][0] == null", "true"),
            ("state.maybe == state.maybe", "true"),
            ("state.items[state.maybe]", "fault: `state.maybe` is null"), ("(state.on ? null : 1) + 1", "2"),
            ("(state.on ? 1 : null) + 1", "fault: `state.on ? 1 : null` is null"),
        ]
        for (text, result) in absent { #expect(outcome(text, world) == result, "\(text)") }
        try world.set("maybe", .int(5))
        try world.set("nick", .string("nick"))
        try world.set("place", .record([("x", .double(3)), ("y", .double(4))]))
        try world.set("mood", .string("done"))
        let present = [
            ("state.maybe", "5"), ("has(state.maybe)", "true"), ("state.maybe == null", "false"),
            ("state.maybe == 5", "true"), ("state.maybe == 5.0", "true"), ("state.maybe != 5", "false"),
            ("state.maybe + 1", "6"), ("-state.maybe", "-5"), ("state.nick + '!'", "\"nick!\""),
            ("state.nick == 'nick'", "true"), ("state.nick.size()", "4"), ("state.place.x", "3.0"),
            ("has(state.place)", "true"),
            ("has(state.place.x)", "true"), ("state.place == state.pos", "false"),
            ("has(state.maybe) ? state.maybe : 7", "5"), ("state.mood == 'done'", "true"),
            ("state.mood != 'done'", "false"), ("state.maybe in [5]", "true"),
        ]
        for (text, result) in present { #expect(outcome(text, world) == result, "\(text)") }
    }

    @Test("say what they read, whether they are constant and where they lie")
    func facts() throws {
        func facts(_ text: String) throws -> String {
            let expression = try Expression(text, in: World.scope)
            let field = expression.field.map { "\($0.slot)+\($0.offset) \($0.type.name)" } ?? "-"
            return
                "\(expression.type.name); \(expression.constant.map(described) ?? "-"); \(expression.reads.slots.sorted()); \(field)"
        }
        let offsets = World.stateType
        #expect(try facts("state.b") == "int; -; [0]; 0+8 i64")
        #expect(try facts("(state.pos).y") == "double; -; [0]; 0+\(offsets.field("pos")!.offset + 8) f64")
        #expect(try facts("state.array[2]") == "double; -; [0]; 0+\(offsets.field("array")!.offset + 16) f64")
        #expect(
            try facts("state.mode") == "string; -; [0]; 0+\(offsets.field("mode")!.offset) idle | busy | done"
        )
        #expect(try facts("state.maybe") == "int or null; -; [0]; 0+\(offsets.field("maybe")!.offset) i64?")
        #expect(try facts("state.place.x") == "double; -; [0]; -")
        #expect(try facts("state.items[0]") == "int; -; [0]; -")
        #expect(
            try facts("state.pos")
                == "record; -; [0]; 0+\(offsets.field("pos")!.offset) { x = \"f64\", y = \"f64\" }")
        #expect(try facts("result") == "int; -; [1]; 1+8 i32")
        #expect(try facts("now") == "timestamp; -; [5]; 5+0 timestamp")
        #expect(try facts("state.a + event.b") == "int; -; [0, 1]; -")
        #expect(try facts("1 + 2 * 3") == "int; 7; []; -")
        #expect(try facts("'a' + 'b' == 'ab' ? [1, 2u] : []") == "list(dyn); [1, 2u]; []; -")
        #expect(try facts("{'a': state.a}") == "map(string, int); -; [0]; -")
        #expect(try facts("duration('5s')") == "duration; duration \"5s\"; []; -")
        #expect(try facts("true ? null : state.name") == "string or null; -; [0]; -")
    }

    @Test("say which fields of a record they read")
    func fieldsRead() throws {
        func read(_ text: String) throws -> String {
            let expression = try Expression(text, in: World.scope)
            return expression.reads.fields(of: 0)?.sorted().joined(separator: " ") ?? "whole"
        }
        #expect(try read("1 + event.b") == "")
        #expect(try read("string(state.a) + string(state.place.x)") == "a place")
        #expect(try read("state.a + state.b + state.a") == "a b")
        #expect(try read("has(state.maybe)") == "maybe")
        #expect(try read("state.?maybe.hasValue()") == "maybe")
        #expect(try read("state.items[state.a]") == "a items")
        #expect(try read("json.encode(state)") == "whole")
        #expect(try read("(state.a > 4 ? 'A' : 'a') + json.encode(state)") == "whole")
        #expect(try read("json.encode(state) + string(state.a)") == "whole")
        #expect(try read("state.a == 1 ? [state] : []") == "whole")
        #expect(try read("[1].map(x, state.a + x)") == "a")
        #expect(try read("cel.bind(s, state, s.a)") == "whole")
    }

    @Test("stored with a number that no member has are a fault, not a crash")
    func invalidMember() throws {
        var world = World()
        let offset = World.stateType.field("mode")!.offset
        unsafe (world.state.unsafeMutableBase() + offset).storeBytes(of: 7, as: Int32.self)
        #expect(
            fault("state.mode + ''", world)
                == "E039 0..<15: the stored number `7` is not a member of `idle | busy | done`")
        #expect(outcome("state.mode == 'idle'", world) == "false")
    }
}
