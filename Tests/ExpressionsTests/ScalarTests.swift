import Records
import Testing

@Suite("scalars")
struct ScalarTests {
    @Test(
        "compute, and fault beyond their type",
        arguments: [
            ("1 + 2", "3"), ("7 - 10", "-3"), ("6 * -7", "-42"), ("7 / 2", "3"), ("-7 / 2", "-3"),
            ("42 % -5", "2"),
            ("-42 % -5", "-2"), ("-(5)", "-5"), ("--5", "5"), ("1u + 2u", "3u"), ("7u / 2u", "3u"),
            ("7u % 4u", "3u"),
            ("1.5 + 2.0", "3.5"), ("1.0 / 0.0", "inf"), ("0.0 / 0.0", "nan"), ("-(1.5)", "-1.5"),
            ("2.0 * 0.5", "1.0"),
            ("9223372036854775807 + 1", "load: `9223372036854775807 + 1` overflows int"),
            ("-9223372036854775808 - 1", "load: `-9223372036854775808 - 1` overflows int"),
            ("-9223372036854775808 * -1", "load: `-9223372036854775808 * -1` overflows int"),
            ("-9223372036854775808 / -1", "load: `-9223372036854775808 / -1` overflows int"),
            ("-9223372036854775808 % -1", "load: `-9223372036854775808 % -1` overflows int"),
            ("-(-9223372036854775808)", "load: `0 - -9223372036854775808` overflows int"),
            ("0u - 1u", "load: `0 - 1` overflows uint"),
            ("18446744073709551615u + 1u", "load: `18446744073709551615 + 1` overflows uint"),
            ("1 / 0", "load: `1 / 0` divides by zero"), ("1 % 0", "load: `1 % 0` divides by zero"),
            ("1u / 0u", "load: `1 / 0` divides by zero"),
            ("1 + 1.0", "load: `+` does not take int and double"),
            ("5.0 % 2.0", "load: `%` does not take double and double"),
            ("-(5u)", "load: `-` does not take uint"), ("!1", "load: `!` does not take int"),
            ("'a' - 'b'", "load: `-` does not take string and string"),
            ("true + true", "load: `+` does not take bool and bool"),
            ("1u + 2", "3u"), ("2 + 1u", "3u"), ("1u - 5", "load: `1 - 5` overflows uint"),
            ("1u + -1", "load: `+` does not take uint and int"),
        ])
    func arithmetic(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test(
        "compare within and across numeric types",
        arguments: [
            ("1 < 2", "true"), ("2 <= 2", "true"), ("3 > 4", "false"), ("3 >= 3", "true"),
            ("1u < 2u", "true"),
            ("1.5 < 2.5", "true"), ("'a' < 'b'", "true"), ("'a' < 'ab'", "true"), ("'Z' < 'a'", "true"),
            ("'é' > 'z'", "true"), ("b'a' <= b'a'", "true"), ("false < true", "true"),
            ("true <= false", "false"),
            ("-1 < 0u", "true"), ("0u > -1", "true"), ("18446744073709551615u > 9223372036854775807", "true"),
            ("1 < 1.5", "true"), ("1.5 > 1", "true"), ("2u < 2.5", "true"), ("2.5 >= 2u", "true"),
            ("9223372036854775807 < 9223372036854775808.0", "false"),
            ("9223372036854775807 < 9223372036854777857.0", "true"),
            ("1 == 1u", "true"), ("1 == 1.0", "true"), ("1u == 1.0", "true"), ("1 != 1.5", "true"),
            ("-1 == 1u", "false"),
            ("0.0 == -0.0", "true"), ("0.0 / 0.0 == 0.0 / 0.0", "false"), ("0.0 / 0.0 != 0.0 / 0.0", "true"),
            ("0.0 / 0.0 < 1.0", "false"), ("0.0 / 0.0 >= 1", "false"), ("1 < 0.0 / 0.0", "false"),
            ("'a' == 'a'", "true"), ("'a' != 'b'", "true"), ("'' == ''", "true"), ("b'' == b''", "true"),
            ("b'\\xff' > b'\\x01'", "true"), ("null == null", "true"), ("true == false", "false"),
            ("true != false", "true"),
            ("[1, 2] == [1, 2]", "true"), ("[1, 2] == [1.0, 2u]", "true"), ("[1] == [1, 2]", "false"),
            ("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "true"), ("{'a': 1} != {'a': 2}", "true"),
            ("duration('1s') < duration('1001ms')", "true"), ("timestamp(1) > timestamp(0)", "true"),
            ("'a' == 1", "load: `==` compares string with int, which are never equal"),
            ("1 < 'a'", "load: `<` does not take int and string"),
            ("[1] < [2]", "load: `<` does not take list(int) and list(int)"),
            ("null < 1", "load: `<` does not take null and int"),
            ("1 < 2 < 3", "load: `<` does not take bool and int"),
        ])
    func comparison(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test(
        "combine by logic that absorbs faults",
        arguments: [
            ("true && false", "false"), ("true && true", "true"), ("false || true", "true"),
            ("!true", "false"), ("!!true", "true"),
            ("false && 1 / 0 > 1", "false"), ("1 / 0 > 1 && false", "false"), ("true || 1 / 0 > 1", "true"),
            ("1 / 0 > 1 || true", "true"), ("true && 1 / 0 > 1", "fault: `1 / 0` divides by zero"),
            ("1 / 0 > 1 && true", "fault: `1 / 0` divides by zero"),
            ("false || 1 / 0 > 1", "fault: `1 / 0` divides by zero"),
            ("1 / 0 > 1 || false", "fault: `1 / 0` divides by zero"),
            ("1 / 0 > 1 && 2 % 0 > 1", "fault: `2 % 0` divides by zero"),
            ("true ? 1 : 2", "1"), ("false ? 1 : 2", "2"), ("true ? 1 : 1 / 0", "1"),
            ("false ? 1 : 1 / 0", "fault: `1 / 0` divides by zero"),
            ("1 / 0 > 1 ? 1 : 2", "load: `1 / 0` divides by zero"), ("true ? 'cows' : 17", "\"cows\""),
            ("false ? 1 : true ? 2 : 3", "2"), ("true ? null : 1", "null"), ("true ? 1u : 0", "1u"),
            ("1 && true", "load: `&&` needs bool, found int"),
            ("true || 'a'", "load: `||` needs bool, found string"),
            ("1 ? 2 : 3", "load: the condition before `?` needs bool, found int"),
        ])
    func logic(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test("absorb faults of fields the same way, whichever side they are on")
    func absorption() throws {
        var world = World()
        for (a, off) in [(0, false), (0, true), (1, false), (1, true)] {
            try world.set("a", .int(Int64(a)))
            try world.set("off", .bool(off))
            let division = a == 0 ? "fault: `10 / 0` divides by zero" : nil
            #expect(outcome("10 / state.a > 3 || state.off", world) == (off ? "true" : division ?? "true"))
            #expect(outcome("state.off || 10 / state.a > 3", world) == (off ? "true" : division ?? "true"))
            #expect(outcome("10 / state.a > 3 && state.off", world) == (off ? division ?? "true" : "false"))
            #expect(outcome("state.off && 10 / state.a > 3", world) == (off ? division ?? "true" : "false"))
        }
    }

    @Test("are read from fields of every width")
    func fields() throws {
        var world = World()
        try world.set("a", .int(.max))
        try world.set("small", .int(-128))
        try world.set("word", .int(65535))
        try world.set("big", .uint(.max))
        try world.set("load", .double(.nan))
        try world.set("ratio", .double(0.1))
        try world.event.set("to", to: .int(-5))
        let wanted = [
            ("state.a", "9223372036854775807"), ("state.small", "-128"), ("state.word + 1", "65536"),
            ("state.big", "18446744073709551615u"), ("state.load == state.load", "false"),
            ("state.ratio", "0.10000000149011612"),
            ("result", "-5"), ("event.to - 1", "-6"), ("state.a + state.small", "9223372036854775679"),
            ("state.a + 1", "fault: `9223372036854775807 + 1` overflows int"),
            ("state.big - 1", "18446744073709551614u"),
            ("state.big + 1", "fault: `18446744073709551615 + 1` overflows uint"), ("state.big > 5", "true"),
            ("1 + state.a", "fault: `1 + 9223372036854775807` overflows int"),
            ("state.a == state.big", "false"),
            ("-state.small", "128"), ("state.pos.x", "0.0"), ("state.off == false", "true"),
            ("state.on != true", "true"),
            ("state.a < state.big", "true"), ("state.load < 1.0", "false"),
        ]
        for (text, result) in wanted { #expect(outcome(text, world) == result, "\(text)") }
    }
}
