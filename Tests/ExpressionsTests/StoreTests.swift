import Diagnostics
import Expressions
import Records
import Testing

@Suite("stores")
struct StoreTests {
    /// The value after storing an expression as `type` over a zero value, or the fault, and then what was left.
    private func stored(_ text: String, as type: ValueType, _ world: World = World()) -> String {
        var record = Record(RecordType([("target", type)]))
        do {
            let store = try Expression(text, in: World.scope).store(as: type)
            try world.withFrame { frame in try unsafe store.evaluate(frame, into: record.unsafeMutableBase())
            }
            return described(record["target"]!)
        } catch let fault as TextFault {
            return "load: \(rendered(fault))"
        } catch let fault as EvaluationFault {
            #expect(record == Record(RecordType([("target", type)])), "a fault leaves the memory unchanged")
            return "fault: \(fault.code.rawValue) \(fault.range): \(fault.message)"
        } catch {
            return "\(error)"
        }
    }

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
                == "load: E017 0..<10: double does not convert to `i32` = write `int(state.load)`, which cuts the fraction off"
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
        #expect(stored("1", as: .string) == "load: E017 0..<1: int does not convert to `string`")
        #expect(stored("null", as: .string) == "load: E017 0..<4: null does not convert to `string`")
    }
}
