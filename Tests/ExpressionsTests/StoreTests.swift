import Diagnostics
import Expressions
import Records
import Testing

@Suite("stores")
struct StoreTests {
    private func integer(_ type: IntegerType) -> ValueType { .integer(type) }

    @Test("convert any integer to any integer type that holds it")
    func integers() throws {
        var world = World()
        try world.set("a", .int(300))
        try world.set("big", .uint(.max))
        #expect(stored("state.a", as: integer(.i64), world) == "300")
        #expect(stored("state.a", as: integer(.u16), world) == "300")
        #expect(stored("state.a", as: integer(.u64), world) == "300u")
        #expect(stored("state.big - 18446744073709551610u", as: integer(.i8), world) == "5")
        #expect(
            stored("state.a", as: integer(.u8), world)
                == "fault: E034 0..<7: `300` does not fit `u8` (0 to 255)")
        #expect(
            stored("state.big", as: integer(.i64), world)
                == "fault: E034 0..<9: `18446744073709551615` does not fit `i64` (-9223372036854775808 to 9223372036854775807)"
        )
        #expect(
            stored("-state.a", as: integer(.u64), world)
                == "fault: E034 0..<8: `-300` does not fit `u64` (0 to 18446744073709551615)")
        #expect(stored("300", as: integer(.u8)) == "load: E034 0..<3: `300` does not fit `u8` (0 to 255)")
        #expect(
            stored("-1", as: integer(.u64))
                == "load: E034 0..<2: `-1` does not fit `u64` (0 to 18446744073709551615)")
        for (text, type, wanted) in [
            ("-128", IntegerType.i8, "-128"), ("127", .i8, "127"), ("255", .u8, "255"),
            ("-32768", .i16, "-32768"),
            ("18446744073709551615u", .u64, "18446744073709551615u"),
            ("-9223372036854775808", .i64, "-9223372036854775808"),
        ] { #expect(stored(text, as: .integer(type)) == wanted) }
        #expect(
            stored("-129", as: integer(.i8)) == "load: E034 0..<4: `-129` does not fit `i8` (-128 to 127)")
        #expect(stored("128", as: integer(.i8)) == "load: E034 0..<3: `128` does not fit `i8` (-128 to 127)")
    }

    @Test("convert an integer literal to a double, and no other integer or the other way round")
    func doubles() throws {
        var world = World()
        try world.set("load", .double(1e300))
        #expect(stored("3", as: .double) == "3.0")
        #expect(stored("-3", as: .float) == "-3.0")
        #expect(stored("3u", as: .double) == "3.0")
        #expect(stored("0.1", as: .float) == "0.10000000149011612")
        #expect(stored("state.load", as: .float, world) == "inf")
        #expect(
            stored("state.a", as: .double)
                == "load: E017 0..<7: int does not convert to `f64` = write `double(state.a)`")
        #expect(
            stored("1 + state.a", as: .float)
                == "load: E017 0..<11: int does not convert to `f32` = write `double(1 + state.a)`")
        #expect(
            stored("state.load", as: integer(.i32))
                == "load: E017 0..<10: double does not convert to `i32` = write `int(state.load)`, which removes the fraction"
        )
        #expect(
            stored("int(state.load)", as: integer(.i32), world).hasPrefix(
                "fault: E034 0..<15: `1e+300` does not fit int"))
    }

    @Test("share the block of a string field and copy nothing")
    func sharedStrings() throws {
        var world = World()
        try world.set("name", .string("a name long enough to need a block"))
        var record = Record(RecordType([("target", .string)]))
        let store = try Expression("state.name", in: World.scope).store(as: .string)
        try world.withFrame { frame in try unsafe store.evaluate(frame, into: record.unsafeMutableBase()) }
        let offset = World.stateType.field("name")!.offset
        let (source, target) = unsafe (
            (world.state.unsafeBase + offset).load(as: UInt.self), record.unsafeBase.load(as: UInt.self)
        )
        #expect(source == target)
        world = World()
        #expect(record["target"] == .string("a name long enough to need a block"))
    }

    @Test("write texts, bytes and instants")
    func others() throws {
        var world = World()
        try world.set("name", .string("no"))
        try world.set("wait", .duration(nanoseconds: 5))
        try world.set("mode", .string("busy"))
        #expect(stored("'constant'", as: .string) == "\"constant\"")
        #expect(stored("state.name + 'ne'", as: .string, world) == "\"none\"")
        #expect(stored("state.mode", as: .string, world) == "\"busy\"")
        #expect(stored("b'x' + state.raw", as: .bytes) == "b[120]")
        #expect(stored("state.wait + duration('1s')", as: .duration, world) == "duration \"1.000000005s\"")
        #expect(stored("now", as: .timestamp) == "timestamp \"1970-01-01T00:00:01Z\"")
        #expect(stored("state.on", as: .bool) == "false")
        #expect(stored("state.a == 0", as: .bool) == "true")
        #expect(
            stored("timestamp('9999-01-01T00:00:00Z')", as: .timestamp)
                == "load: E034 0..<33: `9999-01-01T00:00:00Z` does not fit `timestamp` (1677 to 2262)")
        #expect(
            stored("now + duration('2000000h') + duration('2000000h')", as: .timestamp)
                == "fault: E034 0..<49: `2426-04-26T16:00:01Z` does not fit `timestamp` (1677 to 2262)")
        #expect(stored("'a'", as: integer(.i32)) == "load: E017 0..<3: string does not convert to `i32`")
        #expect(
            stored("1", as: .string)
                == "load: E017 0..<1: int does not convert to `string` = write `string(1)`")
        #expect(
            stored("'a' + 'b'", as: .bytes)
                == "load: E017 0..<9: string does not convert to `bytes` = write `bytes('a' + 'b')`")
        #expect(stored("null", as: .string) == "load: E017 0..<4: null does not convert to `string`")
    }

    @Test("write members of enumerations")
    func members() throws {
        var world = World()
        try world.set("mode", .string("done"))
        try world.set("name", .string("busy"))
        let other = ValueType.enumeration(EnumerationType(members: ["red", "done"]))
        #expect(stored("'busy'", as: World.mode) == "\"busy\"")
        #expect(stored("state.mode", as: World.mode, world) == "\"done\"")
        #expect(stored("state.mode", as: other, world) == "\"done\"")
        #expect(stored("state.name", as: World.mode, world) == "\"busy\"")
        #expect(stored("state.a > 0 ? 'busy' : 'done'", as: World.mode) == "\"done\"")
        #expect(
            stored("'bussy'", as: World.mode)
                == "load: E015 0..<7: `bussy` is not one of the members of this enumeration | it has `idle`, `busy`, `done` = did you mean `busy`?"
        )
        #expect(
            stored("state.on ? 'busy' : 'gone'", as: World.mode)
                == "load: E015 20..<26: `gone` is not one of the members of this enumeration | it has `idle`, `busy`, `done` = did you mean `done`?"
        )
        #expect(
            stored("state.name", as: other, world) == "fault: E015 0..<10: `busy` is not one of `red | done`")
        #expect(
            stored("1", as: World.mode) == "load: E017 0..<1: int does not convert to `idle | busy | done`")
    }

    @Test("build records from map literals and other records")
    func records() throws {
        var world = World()
        try world.set("pos", .record([("x", .double(1)), ("y", .double(2))]))
        let point = ValueType.record(World.point)
        let swapped = ValueType.record(RecordType([("y", .float), ("x", .double)]))
        let owner = ValueType.record(
            RecordType([
                ("name", .string), ("at", point), ("tags", .list(.string)), ("age", .optional(.integer(.u8))),
            ]))
        #expect(stored("{'x': 3, 'y': state.pos.x}", as: point, world) == "{\"x\": 3.0, \"y\": 1.0}")
        #expect(stored("{'y': 3, 'x': 4}", as: point) == "{\"x\": 4.0, \"y\": 3.0}")
        #expect(stored("state.pos", as: point, world) == "{\"x\": 1.0, \"y\": 2.0}")
        #expect(stored("state.pos", as: swapped, world) == "{\"y\": 2.0, \"x\": 1.0}")
        #expect(
            stored("state.on ? {'x': 1, 'y': 1} : state.pos", as: point, world) == "{\"x\": 1.0, \"y\": 2.0}")
        #expect(
            stored("{'name': 'a' + event.text, 'at': state.pos, 'tags': ['b', event.text]}", as: owner, world)
                == "{\"name\": \"a\", \"at\": {\"x\": 1.0, \"y\": 2.0}, \"tags\": [\"b\", \"\"], \"age\": null}"
        )
        #expect(
            stored(
                "{'name': 'long enough for a block', 'at': {'x': 0, 'y': 0}, 'tags': [], 'age': state.b - 1}",
                as: owner)
                == "fault: E034 79..<90: `-1` does not fit `u8` (0 to 255)")
        for (text, wanted) in [
            ("{'x': 1}", "E018 0..<8: the field `y` is missing"),
            ("{}", "E018 0..<2: the fields `x`, `y` are missing"),
            (
                "{'x': 1, 'y': 2, 'yy': 3}",
                "E018 17..<21: the record has no field `yy` | it has `x`, `y` = did you mean `y`?"
            ),
            ("{'x': state.pos.x, 'x': 2, 'y': 3}", "E018 19..<22: the field `x` is given twice"),
            (
                "{state.name: 1, 'y': 2}",
                "E018 1..<11: the key of a record's field must be a text, such as `'name'`"
            ),
            ("{1: 1, 'y': 2}", "E018 1..<2: the key of a record's field must be a text, such as `'name'`"),
            ("{'x': 'a', 'y': 2}", "E017 6..<9: string does not convert to `f64`"),
            ("state", "E018 0..<5: the record has no field `a`"),
            ("1", "E017 0..<1: int does not convert to `{ x = \"f64\", y = \"f64\" }`"),
        ] { #expect(stored(text, as: point) == "load: " + wanted) }
    }

    @Test("build lists and arrays")
    func lists() throws {
        var world = World()
        try world.set("items", .list([.int(1), .int(-2)]))
        try world.set("names", .list([.string("a")]))
        try world.set("array", .list([.double(1), .double(2), .double(3)]))
        let array = ValueType.array(.integer(.u8), count: 2)
        #expect(stored("state.items", as: .list(.integer(.i32)), world) == "[1, -2]")
        #expect(stored("state.items", as: .list(.integer(.i64)), world) == "[1, -2]")
        #expect(
            stored("state.items", as: .list(.integer(.u8)), world)
                == "fault: E034 0..<11: `[1]`: `-2` does not fit `u8` (0 to 255)")
        #expect(stored("[1, state.a, 300]", as: .list(.integer(.u16))) == "[1, 0, 300]")
        #expect(
            stored("[1, state.b - 1]", as: .list(.integer(.u16)))
                == "fault: E034 4..<15: `-1` does not fit `u16` (0 to 65535)")
        #expect(stored("['a', state.name + 'b']", as: .list(.string)) == "[\"a\", \"b\"]")
        #expect(stored("state.names + ['z']", as: .list(.string), world) == "[\"a\", \"z\"]")
        #expect(stored("[]", as: .list(.string)) == "[]")
        #expect(stored("state.array", as: .list(.double), world) == "[1.0, 2.0, 3.0]")
        #expect(stored("state.array", as: .array(.double, count: 3), world) == "[1.0, 2.0, 3.0]")
        #expect(stored("[1, 2]", as: array) == "[1, 2]")
        #expect(stored("[1]", as: array) == "load: E017 0..<3: `u8[2]` has 2 elements, but this list has 1")
        let octets = ValueType.array(.integer(.i8), count: 4)
        #expect(stored("'abc'", as: octets) == "[97, 98, 99, 0]")
        #expect(stored("'' + 'é'", as: octets) == "[-61, -87, 0, 0]")
        #expect(stored("b'abcd'", as: octets) == "[97, 98, 99, 100]")
        #expect(stored("'abcd'", as: octets) == "load: E034 0..<6: 5 bytes do not fit 4")
        #expect(stored("'a\\x00b'", as: octets) == "load: E034 0..<8: C text cannot hold a NUL")
        #expect(
            stored("'ab'", as: .array(.integer(.i16), count: 4))
                == "load: E017 0..<4: string does not convert to `i16[4]`")
        #expect(
            stored("['a', 1]", as: .list(.string))
                == "load: E017 6..<7: int does not convert to `string` = write `string(1)`")
        #expect(
            stored("state.names", as: .list(.double))
                == "load: E017 0..<11: list(string) does not convert to `[f64]`")
        #expect(
            stored("[1, 'a'] + ['b']", as: .list(.string)).hasPrefix(
                "load: E038 0..<16: `[0]`: int does not convert"))
        #expect(stored("['a', 'b', 1][0]", as: .string) == "\"a\"")
        #expect(
            stored("['a', 'b', 1][2]", as: .string) == "fault: E038 0..<16: int does not convert to `string`")
    }

    @Test("write optionals, and values out of them")
    func optionals() throws {
        var world = World()
        let maybe = ValueType.optional(.integer(.i64))
        let small = ValueType.optional(.integer(.u8))
        #expect(stored("null", as: maybe) == "null")
        #expect(stored("7", as: maybe) == "7")
        #expect(stored("state.maybe", as: maybe, world) == "null")
        #expect(stored("state.maybe", as: small, world) == "null")
        #expect(stored("state.on ? 5 : null", as: small) == "null")
        #expect(stored("!state.on ? 5 : null", as: small) == "5")
        #expect(stored("[5, null][1]", as: small) == "null")
        #expect(stored("[5, null][0]", as: small) == "5")
        #expect(
            stored("state.maybe", as: .integer(.i64), world) == "fault: E036 0..<11: `state.maybe` is null")
        #expect(stored("has(state.maybe) ? state.maybe : -1", as: .integer(.i64), world) == "-1")
        try world.set("maybe", .int(300))
        #expect(stored("state.maybe", as: maybe, world) == "300")
        #expect(stored("state.maybe", as: .integer(.i64), world) == "300")
        #expect(
            stored("state.maybe", as: small, world)
                == "fault: E034 0..<11: `300` does not fit `u8` (0 to 255)")
        #expect(stored("300", as: small) == "load: E034 0..<3: `300` does not fit `u8` (0 to 255)")
        #expect(stored("'x' + event.text", as: .optional(.string)) == "\"x\"")
        #expect(
            stored("{'x': 1, 'y': 2}", as: .optional(.record(World.point))) == "{\"x\": 1.0, \"y\": 2.0}")
        #expect(stored("['a']", as: .optional(.list(.string))) == "[\"a\"]")
    }

    @Test("leave a filled target as it was when they fault, and free what they replace")
    func replacing() throws {
        let type = RecordType([("name", .string), ("at", .record(World.point)), ("tags", .list(.string))])
        var record = Record(RecordType([("target", .record(type))]))
        func store(_ text: String) throws {
            let store = try Expression(text, in: World.scope).store(as: .record(type))
            try World().withFrame { frame in
                try unsafe store.evaluate(frame, into: record.unsafeMutableBase())
            }
        }
        try store("{'name': 'one name of many letters', 'at': {'x': 1, 'y': 2}, 'tags': ['of', 'two']}")
        let before = record
        #expect(throws: EvaluationFault.self) {
            try store("{'name': 'another', 'at': {'x': 3, 'y': 4}, 'tags': ['x', state.names[0]]}")
        }
        #expect(record == before)
        try store("{'name': 'another', 'at': {'x': 3, 'y': 4}, 'tags': []}")
        #expect(
            described(record["target"]!)
                == "{\"name\": \"another\", \"at\": {\"x\": 3.0, \"y\": 4.0}, \"tags\": []}")
    }
}
