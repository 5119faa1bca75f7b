import Records
import Testing

@Suite("literals")
struct LiteralTests {
    @Test(
        "have the value they write",
        arguments: [
            ("0", "0"), ("42", "42"), ("-42", "-42"), ("0x1F", "31"), ("-0x10", "-16"), ("0xffu", "255u"),
            ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
            ("- 9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615u", "18446744073709551615u"), ("7U", "7u"), ("1.5", "1.5"), (".5", "0.5"),
            ("1e3", "1000.0"), ("1E-3", "0.001"), ("2.5e+2", "250.0"), ("-0.0", "-0.0"), ("1e-400", "0.0"),
            ("true", "true"), ("false", "false"), ("null", "null"), ("[]", "[]"), ("[1, 2,]", "[1, 2]"),
            ("[1, 'a', 2.5]", "[1, \"a\", 2.5]"), ("{}", "{}"), ("{'a': 1, 2: 'b',}", "{\"a\": 1, 2: \"b\"}"),
            ("1 // one\n + 2", "3"), ("\t1\r\n+\u{0C}1", "2"),
        ])
    func value(text: String, wanted: String) { #expect(outcome(text) == wanted) }

    @Test(
        "of strings and bytes understand CEL's escapes",
        arguments: [
            (#"'it'"#, "it"), (#""it""#, "it"), (#"'say "hi"'"#, "say \"hi\""), (#"'it\'s'"#, "it's"),
            (#"'\a\b\f\n\r\t\v\\\?\"\'\`'"#, "\u{7}\u{8}\u{C}\n\r\t\u{B}\\?\"'`"), (#"'\x41\X42'"#, "AB"),
            (#"'\101'"#, "A"), (#"'\377'"#, "ÿ"), (#"'\xff'"#, "ÿ"), (#"'ü'"#, "ü"),
            (#"'\U0001F600'"#, "😀"), (#"r'\n'"#, "\\n"), (#"R"\""#, "\\"), ("'''a'b''c'''", "a'b''c"),
            ("\"\"\"two\nlines\"\"\"", "two\nlines"), (#"r'''\d'''"#, "\\d"), ("''", ""), ("''''''", ""),
            ("'日本'", "日本"),
        ])
    func string(text: String, wanted: String) throws {
        #expect(try World().evaluate(text) == .string(wanted))
    }

    @Test(
        "of bytes hold bytes",
        arguments: [
            (#"b'abc'"#, [97, 98, 99]), (#"B"\xff\000""#, [255, 0]), (#"b'ü'"#, [0xC3, 0xBC]),
            (#"b'\377'"#, [255]),
            (#"br'\x'"#, [92, 120]), ("b''", []), ("b'''\n'''", [10]),
        ] as [(String, [UInt8])])
    func bytes(text: String, wanted: [UInt8]) throws { #expect(try World().evaluate(text) == .bytes(wanted)) }

    @Test(
        "that are malformed point at the mistake",
        arguments: [
            ("'abc", "E002 0..<4: the literal has no closing quote | starts here"),
            ("'a\nb'", "E002 0..<2: the literal has no closing quote | starts here"),
            ("1 + 'abc\\", "E002 8..<9: the literal has no closing quote | starts here"),
            (
                "'\\q'",
                "E003 1..<3: `\\q` is not an escape = write `\\\\` for a backslash, or start the literal with `r`, which has no escapes"
            ),
            ("'\\x4'", "E003 1..<4: `\\x4` needs 2 hexadecimal digits"),
            ("'\\08'", "E003 1..<3: `\\0` needs 3 octal digits"),
            ("'\\ud800'", "E003 1..<7: `\\ud800` is not a character of Unicode"),
            (
                "b'\\u0041'",
                "E003 2..<4: `\\u` is not an escape = write `\\\\` for a backslash, or start the literal with `r`, which has no escapes"
            ),
            (
                "9223372036854775808",
                "E004 0..<19: `9223372036854775808` does not fit int (-9223372036854775808 to 9223372036854775807) = write `9223372036854775808u` for a uint"
            ),
            (
                "18446744073709551616",
                "E004 0..<20: `18446744073709551616` does not fit 64 bits = write a double, such as `1e20`, for a number this large"
            ),
            ("0x", "E004 0..<2: `0x` has no digits"), ("1abc", "E004 0..<4: `1abc` is not a number"),
            ("1e999", "E004 0..<5: `1e999` does not fit double"),
            ("2 @ 3", "E001 2..<3: `@` has no meaning in an expression"),
            ("1 = 2", "E001 2..<3: `=` has no meaning in an expression = write `==` to compare"),
            ("true & true", "E001 5..<6: `&` has no meaning in an expression = write `&&` for and"),
            ("'ü' + ü", "E001 7..<9: `ü` has no meaning in an expression"),
        ])
    func malformed(text: String, wanted: String) { #expect(fault(text) == wanted) }
}
