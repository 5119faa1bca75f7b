import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// What passes through a call, both ways.
@Suite struct CallTests {
    let host: TestHost
    let scalars: PluginImage

    init() throws {
        host = try TestHost()
        scalars = try host.open("scalars.c")
    }

    static let scalarValues: [(String, [Value])] = [
        ("int8_t same_i8(int8_t x)", [Value.int(-128), Value.int(-1), Value.int(127)]),
        ("int16_t same_i16(int16_t x)", [Value.int(-32768), Value.int(-1), Value.int(32767)]),
        (
            "int32_t same_i32(int32_t x)",
            [Value.int(-2_147_483_648), Value.int(-1), Value.int(2_147_483_647)]
        ),
        ("int64_t same_i64(int64_t x)", [Value.int(Int64.min), Value.int(-1), Value.int(Int64.max)]),
        ("uint8_t same_u8(uint8_t x)", [Value.int(0), Value.int(255)]),
        ("uint16_t same_u16(uint16_t x)", [Value.int(0), Value.int(65535)]),
        ("uint32_t same_u32(uint32_t x)", [Value.int(0), Value.int(4_294_967_295)]),
        ("uint64_t same_u64(uint64_t x)", [Value.uint(0), Value.uint(UInt64.max)]),
        (
            "float same_float(float x)",
            [Value.double(-0.0), Value.double(Double.infinity), Value.double(0x1p-149)]
        ),
        (
            "double same_double(double x)",
            [Value.double(Double.nan), Value.double(-1e308), Value.double(0x1p-1074)]
        ),
        ("void *same_pointer(void *x)", [Value.pointer(0), Value.pointer(UInt.max)]),
        ("spin_duration same_i64(spin_duration x)", [Value.duration(nanoseconds: Int64.min)]),
    ]

    @Test(arguments: scalarValues)
    func `a scalar comes back as it went in`(_ prototype: String, _ values: [Value]) throws {
        for value in values {
            #expect(try call(scalars, prototype, nil, .value(value))["result"] == value)
        }
    }

    @Test func `a bool is its lowest byte, and any bit of it is true`() throws {
        #expect(try call(scalars, "bool is_not(bool x)", nil, .value(.bool(true)))["result"] == .bool(false))
        #expect(try call(scalars, "bool rubbish_above(void)")["result"] == .bool(true))
        #expect(try call(scalars, "bool rubbish_above_false(void)")["result"] == .bool(false))
        #expect(try call(scalars, "int8_t rubbish_above(void)")["result"] == .int(-128))
    }

    @Test func `ten arguments of all kinds arrive in their places`() throws {
        let found = try call(
            scalars,
            "double mixed(int8_t a, uint16_t b, float c, int64_t d, double e, uint8_t f, bool g, int32_t h, double i, uint64_t j)",
            nil, .value(.int(-1)), .value(.int(20)), .value(.double(0.5)), .value(.int(-4000)),
            .value(.double(0.25)), .value(.int(200)), .value(.bool(true)), .value(.int(-70000)),
            .value(.double(1e6)), .value(.uint(10_000_000)))
        #expect(found["result"] == .double(10_926_220.75))
    }

    @Test func `a function is called again and again with the memory of one call`() throws {
        let function = try CFunction(parsing: "int32_t same_i32(int32_t x)")
        let prepared = try prepare(function, at: scalars.address(of: "same_i32"), [.value(.int(0))])
        for number in [Int64(7), -7, 0] {
            // Safe because the input is an `int32_t`.
            unsafe prepared.inputAddress(0).storeBytes(of: Int32(number), as: Int32.self)
            try prepared.invoke()
            #expect(outcome(prepared)["result"] == .int(number))
        }
    }

    @Test func `structures of 1 to 64 bytes pass by value, both ways`() throws {
        var source = "#include <stdint.h>\n"
        for size in 1...64 {
            source += """
                struct s\(size) { uint8_t b[\(size)]; };
                struct s\(size) step\(size)(int32_t by, struct s\(size) s) {
                    for (int i = 0; i < \(size); i++) s.b[i] = (uint8_t)(s.b[i] + by);
                    return s;
                }
                uint64_t sum\(size)(const struct s\(size) *s) {
                    uint64_t sum = 0;
                    for (int i = 0; i < \(size); i++) sum += s->b[i];
                    return sum;
                }

                """
        }
        let image = try host.open(path: try PluginFixture.path(source: source, as: "structures.c"))
        for size in 1...64 {
            let given = Value.record([("b", .list((0..<size).map { .int(Int64($0 * 3)) }))])
            let declarations = """
                struct s { uint8_t b[\(size)]; };
                struct s step\(size)(int32_t by, struct s s);
                uint64_t sum\(size)(const struct s *s);
                """
            let stepped = try call(image, declarations, "step\(size)", .value(.int(5)), .value(given))
            #expect(
                stepped["result"] == .record([("b", .list((0..<size).map { .int(Int64($0 * 3 + 5)) }))]),
                "\(size) bytes")
            let sum = try call(image, declarations, "sum\(size)", .value(given))
            #expect(sum["result"] == .uint(UInt64(3 * size * (size - 1) / 2)), "\(size) bytes")
        }
    }

    @Test func `a call with a large structure can be repeated`() throws {
        let source = """
            #include <stdint.h>
            struct large { int64_t n[8]; };
            int64_t last(struct large l) { return l.n[7]; }
            """
        let image = try host.open(path: try PluginFixture.path(source: source, as: "large.c"))
        let declared = CDeclarations(parsing: "struct large { int64_t n[8]; }; int64_t last(struct large l);")
        let prepared = try prepare(
            try #require(declared.function("last")), at: image.address(of: "last"),
            [.value(.record([("n", .list((0..<8).map { .int($0) }))]))])
        for _ in 0..<3 {
            try prepared.invoke()
            #expect(outcome(prepared)["result"] == .int(7))
        }
    }

    @Test func `structures of more than 64 KiB by value are refused`() throws {
        let declarations = "struct s { int64_t a[5000]; }; int32_t same_i32(struct s s, struct s t);"
        let zeros = Value.list([Value](repeating: .int(0), count: 5000))
        let error = #expect(throws: PluginError.self) {
            try call(
                scalars, declarations, nil,
                .value(.record([("a", zeros)])), .value(.record([("a", zeros)])))
        }
        #expect(error?.code == .notCallable)
    }
}
