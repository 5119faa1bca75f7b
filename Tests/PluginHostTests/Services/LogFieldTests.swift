import CPluginABI
@testable import PluginHost
import Records
import Testing

/// The fields of log lines, `spin.log/2`.
@Suite struct LogFieldTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    /// A plugin whose effect `log` is this body, and the lines that it logs.
    private func lines(_ body: String, answer: Int32 = SPIN_OK) throws -> [PluginLogLine] {
        let source = """
            #include <math.h>
            #include <spinhost/plugin.h>
            #include <stdlib.h>
            #include <string.h>
            SPIN_PLUGIN("talker", "1.0.0");
            static int32_t talk(void) {
            \(body)
            }
            SPIN_EFFECT(int32_t, talk, (void), "");

            """
        let image = try host.open(path: try PluginFixture.path(source: source, as: "talk\(body.hashValue).c"))
        #expect(try host.call(image, "talk") == .int(Int64(answer)))
        return host.log.all
    }

    @Test func `values keep their types and their order`() throws {
        let line = try #require(
            try lines(
                """
                return spin_log_with(NULL, SPIN_LOG_WARNING, "lost", spin_field_text("host", "größe"),
                                     spin_field_integer("port", -9223372036854775807LL - 1), spin_field_number("load", 0.5),
                                     spin_field_flag("is_up", 7), spin_field_flag("is_old", 0), spin_field_text("a_1", NULL));
                """
            ).first)
        #expect(line.text == "lost" && line.level == 1 && line.matter == .ofPlugin)
        #expect(
            line.fields.value
                == .record([
                    ("host", .string("größe")), ("port", .int(.min)), ("load", .double(0.5)),
                    ("is_up", .bool(true)),
                    ("is_old", .bool(false)), ("a_1", .string("")),
                ]))
    }

    @Test func `values with spaces, quotes and line ends are quoted in a text log`() throws {
        let line = try #require(
            try lines(
                #"""
                return spin_log_with(NULL, 0, "quoted", spin_field_text("plain", "a/b:c\\d-é"), spin_field_text("none", ""),
                                     spin_field_text("space", "a b"), spin_field_text("quote", "\""),
                                     spin_field_text("pair", "x=y"), spin_field_text("lines", "a\nb=\x7F"),
                                     spin_field_number("nan", NAN), spin_field_number("far", -INFINITY));
                """#
            ).first)
        #expect(
            line.fields.description
                == #"plain=a/b:c\d-é none="" space="a b" quote="\"" pair="x=y" lines="a\nb=\u007f" nan="NaN" far="-Infinity""#
        )
    }

    @Test(arguments: [
        #"spin_field_text(NULL, "x")"#, #"spin_field_text("", "x")"#, #"spin_field_text("1st", "x")"#,
        #"spin_field_text("_a", "x")"#, #"spin_field_text("aB", "x")"#, #"spin_field_text("a b", "x")"#,
        #"spin_field_text("größe", "x")"#, #"spin_field_text("text", "\xC3(")"#,
        #"spin_field_text("a2345678901234567890123456789012345678901234567890123456789012345", "x")"#,
        #"(spin_field){"kind", 4, 0, {{"x", 1}}}"#, #"(spin_field){"text", 0, 0, {{NULL, 1}}}"#,
        #"(spin_field){"text", 0, 0, {{calloc(1, 65537), 65537}}}"#,
    ])
    func `a field that is not valid is left out, and the line is written`(_ field: String) throws {
        let lines = try lines(
            """
            return spin_log_with(NULL, 0, "kept", spin_field_flag("first", 1), \(field), spin_field_flag("last", 1));
            """, answer: SPIN_BAD_VALUE)
        #expect(lines.map(\.text) == [PluginRule.badField.rawValue, "kept"])
        #expect(lines.last?.fields.description == "first=true last=true")
    }

    @Test func `the longest name and the longest text fit`() throws {
        let lines = try lines(
            """
            static char name[65], text[65537];
            memset(name, 'n', 64), memset(text, 't', 65536);
            return spin_log_with(NULL, 0, "long", spin_field_text(name, text));
            """)
        let field = try #require(lines.first?.fields.all.first)
        #expect(field.name == String(repeating: "n", count: 64))
        #expect(field.value == .string(String(repeating: "t", count: 65536)))
    }

    @Test func `the first field of a name counts`() throws {
        let image = try host.open("misbehaves.c")
        #expect(try host.call(image, "log_field_twice") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.map(\.text) == [PluginRule.repeatedField.rawValue, "twice"])
        #expect(host.log.all.last?.fields.description == "up=true")
    }

    @Test func `fields beyond the limit are left out`() throws {
        let image = try host.open("misbehaves.c")
        #expect(try host.call(image, "log_many_fields") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.map(\.text) == [PluginRule.tooManyFields.rawValue, "many"])
        #expect(host.log.all.last?.fields.all.map(\.value) == (0..<32).map { .int($0) })
        #expect(try host.call(image, "lie_about_fields") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.last?.text == "lie" && host.log.all.last?.fields.all == [])
    }

    @Test func `wild pointers of a guarded plugin are left out`() throws {
        let image = try host.open("misbehaves.c", isGuarded: true)
        #expect(try host.call(image, "log_wild_fields") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(!image.isQuarantined)
        let own = host.log.all.filter { $0.matter == .ofPlugin }
        #expect(own.map(\.text) == ["wild", "wilder"])
        #expect(own.allSatisfy { $0.fields.all == [] })
    }
}
