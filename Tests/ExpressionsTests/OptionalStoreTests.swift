import Expressions
import Records
import Testing

@Suite("stores of optionals")
struct OptionalStoreTests {
    private let number = ValueType.optional(.integer(.i32))

    @Test("make null of an optional without a value, and no other type")
    func fields() throws {
        var world = World()
        try world.set("a", .int(.max))
        try world.set("place", .record([("x", .double(1)), ("y", .double(2))]))
        try world.set("names", .list([.string("busy"), .string("x")]))
        #expect(stored("optional.of(5)", as: number) == "5")
        #expect(stored("optional.none()", as: number) == "null")
        #expect(stored("optional.of(null)", as: number) == "null")
        #expect(stored("state.?maybe", as: number) == "null")
        #expect(stored("state.on ? 1 : state.?maybe", as: number) == "null")
        #expect(
            stored("state.?place", as: .optional(.record(World.point)), world) == "{\"x\": 1.0, \"y\": 2.0}")
        #expect(stored("state.names[?0]", as: .optional(World.mode), world) == "\"busy\"")
        #expect(stored("[state.?maybe, state.?b]", as: .list(number)) == "[null, 0]")
        #expect(
            stored("state.?a", as: number, world)
                == "fault: E034 0..<8: `9223372036854775807` does not fit `i32` (-2147483648 to 2147483647)")
        #expect(
            stored("state.names[?1]", as: .optional(World.mode), world)
                == "fault: E038 0..<15: `x` is not one of `idle | busy | done`")
        #expect(
            stored("state.?name", as: number)
                == "load: E017 0..<11: optional(string) does not convert to `i32?`")
        #expect(
            stored("state.?a", as: .integer(.i32))
                == "load: E017 0..<8: optional(int) does not convert to `i32` = write `state.?a.orValue(…)`")
        #expect(stored("state.?maybe.orValue(7)", as: .integer(.i8)) == "7")
        #expect(
            stored("state.?place.orValue({'x': 3.0, 'y': 4.0})", as: .record(World.point))
                == "{\"x\": 3.0, \"y\": 4.0}")
    }

    @Test("check the value that takes the place of a missing one as any other")
    func alternatives() throws {
        var world = World()
        try world.set("place", .record([("x", .double(1)), ("y", .double(2))]))
        try world.set("mood", .string("busy"))
        let point = ValueType.record(World.point)
        #expect(
            stored("state.?place.orValue({'x': 0.0, 'yy': 1.0})", as: point)
                == "load: E018 32..<36: the record has no field `yy` | it has `x`, `y` = did you mean `y`?")
        #expect(
            stored("state.?mood.orValue('blue')", as: World.mode)
                == "load: E015 20..<26: `blue` is not one of the members of this enumeration | it has `idle`, `busy`, `done`"
        )
        #expect(
            stored("state.on ? 1 : state.?maybe.orValue(300)", as: .integer(.u8))
                == "load: E034 36..<39: `300` does not fit `u8` (0 to 255)")
        #expect(stored("state.?place.orValue({'x': 3, 'y': 4})", as: point) == "{\"x\": 3.0, \"y\": 4.0}")
        #expect(
            stored("state.?place.orValue({'x': 3, 'y': 4})", as: point, world) == "{\"x\": 1.0, \"y\": 2.0}")
        #expect(stored("state.?mood.orValue('done')", as: World.mode) == "\"done\"")
        #expect(stored("state.?mood.orValue('done')", as: World.mode, world) == "\"busy\"")
        #expect(stored("state.?maybe.orValue(null)", as: number) == "null")
        #expect(stored("[state.?maybe.orValue(7)]", as: .list(.integer(.i8))) == "[7]")
        #expect(stored("state.?items.orValue([]).map(i, i)", as: .list(.integer(.i8)), world) == "[]")
        #expect(
            stored("state.?nick.orValue(state.items.map(i, 'a')[0])", as: .string).hasPrefix(
                "fault: E032 44..<45"))
        #expect(
            stored("state.?big.orValue(1)", as: .integer(.i8)) == "0")
    }

    @Test("check the fields of a record that an optional has")
    func records() throws {
        func type(_ fields: [(String, ValueType)]) -> ValueType { .optional(.record(RecordType(fields))) }
        let (x, y) = (("x", ValueType.double), ("y", ValueType.float))
        #expect(stored("state.?pos", as: type([y, x])) == "{\"y\": 0.0, \"x\": 0.0}")
        #expect(
            stored("state.?pos.value()", as: type([x])) == "load: E018 0..<18: the record has no field `y`")
        #expect(
            stored("state.?pos.value()", as: type([x, y, ("z", .double)]))
                == "load: E018 0..<18: the field `z` is missing")
        #expect(
            stored("state.?pos.value()", as: type([x, ("y", .string)]))
                == "load: E017 0..<18: the field `y`: double does not convert to `string`")
        #expect(
            stored("state.?pos", as: type([x]))
                == "load: E017 0..<10: optional(record) does not convert to `{ x = \"f64\" }?`")
        #expect(
            stored("state.?load.orValue(0.5)", as: .integer(.i8))
                == "load: E017 0..<24: double does not convert to `i8` = write `int(state.?load.orValue(0.5))`, which removes the fraction"
        )
        #expect(
            stored("state.points", as: .list(.record(RecordType([x]))))
                == "load: E017 0..<12: list(record) does not convert to `[{ x = \"f64\" }]`")
    }

    @Test("take no optional of an optional, whose null would be ambiguous")
    func nested() {
        #expect(
            stored("state.?a.optMap(n, state.?maybe)", as: number)
                == "load: E017 0..<32: optional(optional(int)) does not convert to `i32?` = write `state.?a.optMap(n, state.?maybe).value()`, or `optFlatMap`"
        )
        #expect(stored("state.?a.optFlatMap(n, state.?maybe)", as: number) == "null")
        #expect(stored("state.?a.optMap(n, state.?maybe).value()", as: number) == "null")
        #expect(
            stored("[optional.of(optional.none())]", as: .list(number))
                == "load: E017 1..<29: optional(optional(dyn)) does not convert to `i32?` = write `optional.of(optional.none()).value()`, or `optFlatMap`"
        )
        #expect(
            stored("optional.of(dyn(state.?maybe))", as: number)
                == "fault: E038 0..<30: an optional of an optional does not convert to `i32?`")
    }

    @Test("find a constant that never fits at load")
    func constants() {
        #expect(
            stored("optional.of(300)", as: .optional(.integer(.i8)))
                == "load: E034 0..<16: `300` does not fit `i8` (-128 to 127)")
        #expect(
            stored("optional.of('blue')", as: .optional(World.mode))
                == "load: E038 0..<19: `blue` is not one of `idle | busy | done`")
        #expect(
            stored("optional.of({'x': 1.0})", as: .optional(.record(World.point)))
                == "load: E038 0..<23: field `y` is missing")
        #expect(
            stored("optional.of(dyn(300))", as: .optional(.integer(.i8)))
                == "load: E034 0..<21: `300` does not fit `i8` (-128 to 127)")
        #expect(stored("optional.of(100)", as: .optional(.integer(.i8))) == "100")
    }

    @Test("keep pointers")
    func pointers() throws {
        var world = World()
        try world.set("handle", .pointer(7))
        #expect(stored("state.?handle.value()", as: .pointer, world) == "pointer 7")
        #expect(stored("state.?handle", as: .optional(.pointer), world) == "pointer 7")
        #expect(stored("state.?handle.orValue(null)", as: .pointer, world) == "pointer 7")
        #expect(stored("state.on ? null : state.?handle.value()", as: .pointer, world) == "pointer 7")
    }

    @Test("leave out optional parts of lists and records")
    func parts() throws {
        let record = ValueType.record(RecordType([("n", number), ("name", .string)]))
        #expect(stored("{?'n': optional.of(3), 'name': 'a'}", as: record) == "{\"n\": 3, \"name\": \"a\"}")
        #expect(stored("{?'n': state.?maybe, 'name': 'a'}", as: record) == "{\"n\": null, \"name\": \"a\"}")
        #expect(
            stored("{?'name': optional.of('a')}", as: record)
                == "load: E018 2..<8: the field `name` must have a value, so its entry cannot be optional = write it without `?`, and its value with `orValue(…)`"
        )
        #expect(
            stored("{?'n': 3, 'name': 'a'}", as: record)
                == "load: E014 7..<8: `?` needs an optional, found int = write `optional.of(3)`")
        #expect(stored("[1, ?state.?maybe, ?state.?a]", as: .list(.integer(.i8))) == "[1, 0]")
        #expect(stored("[1.5, ?optional.of(0.5)]", as: .array(.double, count: 2)) == "[1.5, 0.5]")
        #expect(
            stored("[1.5, ?optional.none()]", as: .array(.double, count: 2))
                == "load: E034 0..<23: 1 elements do not fit `f64[2]`")
        #expect(stored("[?state.?nick]", as: .optional(.list(.string))) == "[]")
        #expect(
            stored("state.?items.orValue([])", as: .list(.string))
                == "load: E017 0..<24: list(int) does not convert to `[string]`")
        #expect(
            stored("[?state.?name]", as: .list(.integer(.i8)))
                == "load: E017 0..<14: list(string) does not convert to `[i8]`")
    }
}
