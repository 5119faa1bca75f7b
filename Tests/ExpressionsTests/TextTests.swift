import Records
import Testing

@Suite("texts and bytes")
struct TextTests {
    @Test(
        "join, measure and search",
        arguments: [
            ("'a' + 'b'", "\"ab\""), ("'' + ''", "\"\""), ("b'a' + b'\\xff'", "b[97, 255]"),
            ("size('')", "0"),
            ("size('日本😀')", "3"), ("'e\\u0301'.size()", "2"), ("size(b'\\xff\\x00')", "2"),
            ("'abc'.size()", "3"),
            ("'abc'.startsWith('ab')", "true"), ("'abc'.startsWith('')", "true"),
            ("'a'.startsWith('ab')", "false"),
            ("''.startsWith('a')", "false"), ("'abc'.endsWith('bc')", "true"), ("'abc'.endsWith('')", "true"),
            ("'bc'.endsWith('abc')", "false"), ("'abc'.contains('b')", "true"),
            ("'abc'.contains('')", "true"),
            ("''.contains('')", "true"), ("''.contains('a')", "false"), ("'aaab'.contains('aab')", "true"),
            ("'abababac'.contains('ababac')", "true"), ("'abababab'.contains('ababac')", "false"),
            ("'日本'.contains('本')", "true"), ("'abc' in ['abc', 'd']", "true"),
            ("'x' in ['abc', 'd']", "false"),
            ("'é' == 'e\\u0301'", "false"), ("'a\\u0000b' == 'a\\u0000b'", "true"),
            ("'a\\u0000b' == 'a\\u0000c'", "false"),
            ("'a' + 1", "load: `+` does not take string and int"),
            ("size(1)", "load: `size` does not take int"),
            ("'a'.contains(1)", "load: `contains` does not take string and int"),
            ("b'a'.contains(b'a')", "load: `contains` does not take bytes and bytes"),
            ("'a'.size(1)", "load: `size` takes 0 arguments, not 1"),
            ("size()", "load: `size` takes 1 argument, not 0"),
            ("'a' + b'a'", "load: `+` does not take string and bytes"),
        ])
    func functions(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test("in fields behave like constants")
    func fields() throws {
        var world = World()
        try world.set("name", .string("größe"))
        try world.set("title", .string("groß"))
        try world.set("raw", .bytes([0, 255]))
        let wanted = [
            ("state.name", "\"größe\""), ("state.name == 'größe'", "true"), ("'größe' == state.name", "true"),
            ("state.name != 'größe'", "false"), ("state.name == state.title", "false"),
            ("state.name > state.title", "true"),
            ("state.name < 'h'", "true"), ("state.name.startsWith(state.title)", "false"),
            ("state.name.startsWith('gr')", "true"),
            ("'größe!'.startsWith(state.name)", "true"), ("state.name.contains('öß')", "true"),
            ("state.name.endsWith('e')", "true"),
            ("size(state.name)", "5"), ("state.name + state.title", "\"größegroß\""),
            ("event.text == ''", "true"),
            ("event.text + 'x' == 'x'", "true"), ("state.raw == b'\\x00\\xff'", "true"),
            ("size(state.raw)", "2"),
            ("state.raw < b'\\x01'", "true"), ("state.name in ['a', 'größe']", "true"),
            ("state.name in []", "false"),
            ("state.name in [state.name]", "true"), ("state.on ? state.name : state.title", "\"groß\""),
        ]
        for (text, result) in wanted { #expect(outcome(text, world) == result, "\(text)") }
    }

    @Test("are searched in linear time, whatever they repeat")
    func linearSearch() throws {
        var world = World()
        try world.set("name", .string(String(repeating: "a", count: 200_000)))
        try world.set("title", .string(String(repeating: "a", count: 100_000) + "b"))
        #expect(outcome("state.name.contains(state.title)", world) == "false")
    }
}

@Suite("conversions")
struct ConversionTests {
    private static let int = "(-9223372036854775808 to 9223372036854775807)"
    private static let uint = "(0 to 18446744073709551615)"

    @Test(
        "give the value or say why not",
        arguments: [
            ("int(5)", "5"), ("int(5u)", "5"), ("int(1.9)", "1"), ("int(-7.9)", "-7"), ("int('987')", "987"),
            ("int('-5')", "-5"),
            ("int(timestamp('2004-09-16T23:59:59Z'))", "1095379199"), ("int(timestamp(-1))", "-1"),
            ("int(18446744073709551615u)", "load: `18446744073709551615` does not fit int \(int)"),
            ("int(1e99)", "load: `1e+99` does not fit int \(int)"),
            ("int(0.0 / 0.0)", "load: `NaN` does not fit int \(int)"),
            ("int(9223372036854775807.0)", "load: `9223372036854776000` does not fit int \(int)"),
            ("int(-9223372036854775808.0)", "load: `-9223372036854776000` does not fit int \(int)"),
            ("int('')", "load: `` is not the text of an int"),
            ("int('0x10')", "load: `0x10` is not the text of an int"),
            ("int(' 1')", "load: ` 1` is not the text of an int"),
            ("int('1.0')", "load: `1.0` is not the text of an int"),
            ("int('9223372036854775808')", "load: `9223372036854775808` is not the text of an int"),
            ("int(true)", "load: `int` does not take bool"), ("int()", "load: `int` takes 1 argument, not 0"),
            ("uint(5u)", "5u"), ("uint(1729)", "1729u"), ("uint(3.99)", "3u"),
            ("uint(1e19)", "10000000000000000000u"), ("uint('300')", "300u"),
            ("uint(-1)", "load: `-1` does not fit uint \(uint)"),
            ("uint(-0.5)", "load: `-0.5` does not fit uint \(uint)"),
            ("uint(1.8446744073709552e19)", "load: `18446744073709552000` does not fit uint \(uint)"),
            ("uint('-1')", "load: `-1` is not the text of a uint"),
            ("uint('+1')", "load: `+1` is not the text of a uint"),
            ("double(5)", "5.0"), ("double(5u)", "5.0"), ("double(1.5)", "1.5"),
            ("double('-84.32e7')", "-843200000.0"), ("double('123')", "123.0"),
            ("double('NaN')", "nan"), ("double('-Infinity')", "-inf"),
            ("double('1e999')", "load: `1e999` is not the text of a double"),
            ("double('')", "load: `` is not the text of a double"),
            ("double('1,5')", "load: `1,5` is not the text of a double"),
            ("double(9223372036854775807)", "9.223372036854776e+18"),
            ("cstring([103, 114, -61, -68, 195, 159, 0, 88])", "\"grüß\""), ("cstring([97, 98])", "\"ab\""),
            ("cstring([0])", "\"\""),
            ("cstring([97, 256])", "load: `256` is not a byte, so the list is not text"),
            ("cstring([-1])", "load: the bytes are not UTF-8"), ("string('a')", "\"a\""),
            ("string(-456)", "\"-456\""), ("string(9876u)", "\"9876\""),
            ("string(true)", "\"true\""),
            ("string(123.456)", "\"123.456\""), ("string(-4.5e-3)", "\"-0.0045\""), ("string(1.0)", "\"1\""),
            ("string(-0.0)", "\"-0\""),
            ("string(6.02214e23)", "\"6.02214e+23\""), ("string(1e-7)", "\"1e-07\""),
            ("string(0.0001)", "\"0.0001\""), ("string(0.00001)", "\"1e-05\""),
            ("string(1e20)", "\"100000000000000000000\""), ("string(1e21)", "\"1e+21\""),
            ("string(1234567.5)", "\"1234567.5\""), ("string(5e-324)", "\"5e-324\""),
            ("string(0.1 + 0.2)", "\"0.30000000000000004\""), ("string(1.0 / 0.0)", "\"Infinity\""),
            ("string(0.0 / 0.0)", "\"NaN\""),
            ("string(b'\\303\\277')", "\"ÿ\""), ("string(b'\\000\\xff')", "load: the bytes are not UTF-8"),
            ("string(duration('90m'))", "\"5400s\""),
            ("string(timestamp(0))", "\"1970-01-01T00:00:00Z\""),
            ("string(null)", "load: `string` does not take null"),
            ("string([1])", "load: `string` does not take list(int)"),
            ("bytes('ÿ')", "b[195, 191]"), ("bytes(b'a')", "b[97]"), ("bytes('')", "b[]"),
            ("bytes(1)", "load: `bytes` does not take int"),
            ("bool('true')", "true"), ("bool('1')", "true"), ("bool('F')", "false"), ("bool(true)", "true"),
            ("bool('yes')", "load: `yes` is not the text of a bool"),
            ("bool('')", "load: `` is not the text of a bool"), ("bool(1)", "load: `bool` does not take int"),
            (
                "int('12345678901234567890123456789012345678901234567890')",
                "load: `1234567890123456789012345678901234567890…` is not the text of an int"
            ),
        ])
    func conversion(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test("of fields fault when they are evaluated")
    func fields() throws {
        var world = World()
        try world.set("name", .string("12x"))
        try world.set("load", .double(1e19))
        try world.set("raw", .bytes([255]))
        #expect(fault("1 + int(state.name)", world) == "E035 4..<19: `12x` is not the text of an int")
        #expect(
            fault("int(state.load)", world)
                == "E034 0..<15: `10000000000000000000` does not fit int \(Self.int)")
        #expect(fault("string(state.raw)", world) == "E035 0..<17: the bytes are not UTF-8")
        #expect(outcome("uint(state.load)", world) == "10000000000000000000u")
    }
}

@Suite("times")
struct TimeTests {
    @Test(
        "are read, added and compared",
        arguments: [
            ("duration('1h30m')", "duration \"5400s\""), ("duration('-1.5s')", "duration \"-1.5s\""),
            ("duration('0')", "duration \"0s\""),
            ("duration(duration('1s'))", "duration \"1s\""),
            ("duration('5 s')", "load: `5 s` is not the text of a duration, such as `1h30m` or `1.5s`"),
            ("duration('')", "load: `` is not the text of a duration, such as `1h30m` or `1.5s`"),
            ("duration(5)", "load: `duration` does not take int"),
            ("timestamp('2026-11-21T05:00:00.25Z')", "timestamp \"2026-11-21T05:00:00.25Z\""),
            ("timestamp('2026-11-21T05:00:00+02:00')", "timestamp \"2026-11-21T03:00:00Z\""),
            ("timestamp(1)", "timestamp \"1970-01-01T00:00:01Z\""),
            (
                "timestamp('today')",
                "load: `today` is not the text of a timestamp, such as `2026-11-21T05:00:00Z`"
            ),
            (
                "timestamp('0000-12-31T23:59:59Z')",
                "load: `0000-12-31T23:59:59Z` is outside the years 1 to 9999"
            ),
            ("timestamp(253402300800)", "load: `253402300800` seconds are outside the years 1 to 9999"),
            ("duration('1s') + duration('1ms')", "duration \"1.001s\""),
            ("duration('1s') - duration('1500ms')", "duration \"-0.5s\""),
            ("timestamp(0) + duration('-1ns')", "timestamp \"1969-12-31T23:59:59.999999999Z\""),
            ("timestamp(0) - duration('-1ns')", "timestamp \"1970-01-01T00:00:00.000000001Z\""),
            ("duration('1h') + timestamp(0)", "timestamp \"1970-01-01T01:00:00Z\""),
            ("timestamp(10) - timestamp(20)", "duration \"-10s\""),
            (
                "timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns')",
                "load: `9999-12-31T23:59:59.999999999Z + 0.000000001s` is outside the years 1 to 9999"
            ),
            (
                "timestamp('9999-12-31T00:00:00Z') - timestamp('0001-01-01T00:00:00Z')",
                "load: the time from `0001-01-01T00:00:00Z` to `9999-12-31T00:00:00Z` overflows duration"
            ),
            ("duration('2562047h') + duration('1h')", "load: `9223369200s + 3600s` overflows duration"),
            ("duration('1s') == duration('1000ms')", "true"),
            ("timestamp(1) == timestamp('1970-01-01T00:00:01Z')", "true"),
            ("timestamp(1) != timestamp(1)", "false"), ("timestamp(1) <= timestamp(2)", "true"),
            ("duration('1s') + 1", "load: `+` does not take duration and int"),
            ("duration('1s') - timestamp(0)", "load: `-` does not take duration and timestamp"),
            ("timestamp(0) + timestamp(0)", "load: `+` does not take timestamp and timestamp"),
            ("-duration('1s')", "load: `-` does not take duration"),
            ("duration('1s') * 2", "load: `*` does not take duration and int"),
        ])
    func times(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test("are read from fields in nanoseconds")
    func fields() throws {
        var world = World()
        try world.set("wait", .duration(nanoseconds: 1_500_000_000))
        try world.set("since", .timestamp(Timestamp(seconds: -1, nanoseconds: 1)))
        world.now = 3_000_000_000
        #expect(outcome("state.wait", world) == "duration \"1.5s\"")
        #expect(outcome("now - state.since", world) == "duration \"3.999999999s\"")
        #expect(outcome("now - state.since > state.wait", world) == "true")
        #expect(outcome("state.since + state.wait < now", world) == "true")
        #expect(outcome("state.wait - duration('1s')", world) == "duration \"0.5s\"")
        try world.set("wait", .duration(nanoseconds: .max))
        #expect(
            fault("state.wait + duration('1ns')", world)
                == "E030 0..<28: `9223372036.854775807s + 0.000000001s` overflows duration")
    }
}
