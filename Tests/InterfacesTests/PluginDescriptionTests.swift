import Diagnostics
import Foundation
import Interfaces
import Records
import TestSupport
import Testing

struct PluginDescriptionTests {
    private static let header = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "Sources/CPluginABI/include")

    private static let source = """
        #include <stdbool.h>
        #include <spinhost/plugin.h>

        SPIN_EMITTER(loaded, (const char *, body), (int32_t, status), (bool, fresh), (spin_bytes, raw), (spin_duration, took));
        SPIN_EMITTER(ended);

        int64_t step_toward(int64_t from, int64_t to) { return from < to ? from + 1 : from - 1; }
        SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");

        int open_it(const char *path) { return path ? 0 : -1; }
        SPIN_EFFECT_CHECKED(int, open_it, (const char *path), "Opens.", "result < 0");

        void fetch(spin_call *call, spin_string url) { loaded(call, url.data, 200, true, (spin_bytes){0, 0}, 1); ended(call); }
        SPIN_EFFECT(void, fetch, (spin_call *call, spin_string url), "");

        SPIN_PLUGIN("levels", "1.2.0");
        """

    private func compiled(_ source: String, in folder: TemporaryFolder) throws -> String {
        try CCompiler().sharedObject(source, in: folder, as: "plugin.so", flags: ["-I", Self.header.path])
    }

    @Test func compiledPlugin_describesItself() throws {
        let folder = try TemporaryFolder()
        let file = try ELFFile(path: try compiled(Self.source, in: folder))
        let plugin = try #require(try PluginDescription.read(from: file))
        #expect(plugin.abi == .host)
        #expect((plugin.id, plugin.version) == ("levels", "1.2.0"))
        #expect(Set(plugin.effects.map(\.name)) == ["step_toward", "open_it", "fetch"])
        let step = try #require(plugin.effect("step_toward"))
        #expect(step.function.text == "int64_t step_toward(int64_t from, int64_t to)")
        #expect((step.failsIf, step.doc) == ("", "One step from `from` toward `to`."))
        #expect(!step.isEmitting)
        #expect(plugin.effect("open_it")?.failsIf == "result < 0")
        #expect(plugin.effect("fetch")?.isEmitting == true)
        let loaded = try #require(plugin.emitter("loaded"))
        #expect(loaded.fields.map(\.name) == ["body", "status", "fresh", "raw", "took"])
        #expect(loaded.fields.map(\.received.form) == [.cString, .plain, .plain, .bytes, .plain])
        #expect(
            loaded.payload.description
                == "{ body = \"string\", status = \"i32\", fresh = \"bool\", raw = \"bytes\", took = \"duration\" }"
        )
        #expect(plugin.emitter("ended")?.payloadSize == 0)
        #expect(file.defines("spin_entry"))
    }

    @Test func payload_isLaidOutAsTheCompilerDoes() throws {
        let emitter = try PluginDescription(notes: [
            PluginNote(.plugin, ["2.0", "p", "1"]),
            PluginNote(
                .emitter,
                ["e", "void e(bool a, const char *b, int8_t c, spin_string d, short f, double g, void *h)"]),
        ]).emitters[0]
        let names = emitter.fields.map(\.name)
        let program = """
            #include <stdio.h>
            #include <stdbool.h>
            #include <spinhost/plugin.h>
            struct e { bool a; const char *b; int8_t c; spin_string d; short f; double g; void *h; };
            int main(void) { printf("\(names.map { _ in "%zu " }.joined())%zu", \(names.map { "offsetof(struct e, \($0)), " }.joined())sizeof(struct e)); }
            """
        let folder = try TemporaryFolder()
        let path = try folder.write("layout.c", program)
        let compiled = try Shell.run("cc", ["-I", Self.header.path, "-o", folder.url("layout").path, path])
        #expect(compiled.errors == "")
        let found = (emitter.fields.map(\.offset) + [emitter.payloadSize]).map(String.init).joined(
            separator: " ")
        #expect(try Shell.run(folder.url("layout").path).output == found)
        #expect(
            emitter.payload.fields.map(\.type.name) == [
                "bool", "string", "i8", "string", "i16", "f64", "pointer",
            ])
    }

    @Test func emitterOfAHeader_countsOnce_howeverManyFilesIncludeIt() throws {
        let note = PluginNote(.emitter, ["e", "void e(void)"])
        let plugin = try PluginDescription(notes: [PluginNote(.plugin, ["2.0", "p", "1"]), note, note])
        #expect(plugin.emitters.map(\.name) == ["e"])
    }

    @Test func settings_areReadAsTheCompilerWritesThem() throws {
        let folder = try TemporaryFolder()
        let source = """
            #include <limits.h>
            #include <stdbool.h>
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("settings", "1.0.0");
            SPIN_CONFIG((bool, on, true, ""), (int32_t, rate, 9600, 1 << 4, INT_MAX, "Baud."), (float, factor, -1.5f, ""),
                        (spin_string, text, "a \\"b\\" \\\\ c" "d", ""), (uint64_t, most, UINT64_MAX, ""), (double, half, .5, 0, 1, ""),
                        (spin_duration, wait, "1.5s", ""), (spin_duration, pause, 20, "1ns", "1s", ""), (spin_timestamp, since, "2026-01-01T00:00:00Z", ""),
                        (spin_bytes, key, "k", ""), (spin_list_string, names, {}, ""), (int64_t, needed, SPIN_REQUIRED, "Needed."));
            struct spin_self { int x; };
            static spin_self *create(spin_call *call, const spin_config *config) { (void)call, (void)config; return 0; }
            static void destroy(spin_self *self) { (void)self; }
            SPIN_INSTANCE(create, destroy);
            unsigned long layout[] = { offsetof(spin_config, rate), offsetof(spin_config, text), offsetof(spin_config, names), sizeof(spin_config) };
            """
        let file = try ELFFile(path: try compiled(source, in: folder))
        let instance = try #require(try PluginDescription.read(from: file)?.instance)
        #expect(!instance.hasLife && instance.schema == nil)
        let config = try #require(instance.config)
        #expect(
            config.settings.map { $0.defaultValue?.json ?? "-" } == [
                "true", "9600", "-1.5", #""a \"b\" \\ cd""#, "18446744073709551615", "0.5", #""1.5s""#,
                #""0.00000002s""#, #""2026-01-01T00:00:00Z""#, #""aw==""#, "[]", "-",
            ])
        #expect(config.setting("rate")?.range == .init(least: .int(16), greatest: .int(2_147_483_647)))
        #expect(
            config.setting("pause")?.range
                == .init(least: .duration(nanoseconds: 1), greatest: .duration(nanoseconds: 1_000_000_000)))
        #expect(config.setting("rate")?.doc == "Baud.")
        #expect(config.setting("needed")?.doc == "Needed.")
        #expect(
            config.type.description.hasPrefix(
                "{ on = \"bool\", rate = \"i32\", factor = \"f32\", text = \"string\", most = \"u64\""))
    }

    @Test func libraryWithoutNotes_describesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try CCompiler().sharedObject("int f(void) { return 1; }", in: folder, as: "f.so")
        #expect(try PluginDescription.read(from: ELFFile(path: path)) == nil)
    }

    @Test func pluginOfAnotherMajor_isRefusedFromTheFileAlone() throws {
        let folder = try TemporaryFolder()
        let path = try compiled(Self.source, in: folder)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("2.0\0levels\0".utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "3")
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: InterfaceError.self) {
            try PluginDescription.read(from: try ELFFile(path: path))
        }
        #expect(error?.code == .abiMismatch)
        #expect(error?.message == "plugin `levels` differs in the ABI's major version: expected 2, found 3")
    }

    @Test func abiOfThisHost_isThatOfTheHeader() throws {
        let text = try String(
            contentsOf: Self.header.appendingPathComponent("spinhost/plugin.h"), encoding: .utf8)
        #expect(text.contains("#define SPIN_ABI_MAJOR \(ABIVersion.host.major)\n"))
        #expect(text.contains("#define SPIN_ABI_MINOR \(ABIVersion.host.minor)\n"))
    }

    @Test func theMinorThatThePluginNeeds_decides_notThatOfItsHeader() throws {
        let host = ABIVersion(major: 2, minor: 3)
        let notes = [PluginNote(.plugin, ["2.7", "p", "1.0"])]
        for needed in 0...3 {
            let plugin = try PluginDescription(notes: notes, neededMinor: needed, host: host)
            #expect(plugin.abi == ABIVersion(major: 2, minor: needed))
        }
        let error = #expect(throws: InterfaceError.self) {
            try PluginDescription(notes: notes, neededMinor: 4, host: host)
        }
        #expect(error?.code == .abiMismatch)
        #expect(
            error?.message == "plugin `p` differs in the ABI's minor version: expected at most 3, found 4")
        #expect(error?.help == ["use a newer host, or rebuild the plugin with `SPIN_ABI_TARGET` 3"])
    }

    @Test func secretSetting_isAText_thatIsSaidToBeSecret() throws {
        let plugin = try PluginDescription(notes: [
            PluginNote(.plugin, ["2.0", "vault", "1.0"]), PluginNote(.instance, ["create", "destroy"]),
            PluginNote(
                .config,
                [
                    "void spin_config(spin_secret key, spin_secret spare, spin_string name)",
                    "SPIN_REQUIRED", "", "", "The key.", "{}", "", "", "", "\"x\"", "", "", "",
                ]), PluginNote(.reconfigure, ["reconfigure"]),
        ])
        let config = try #require(plugin.instance?.config)
        #expect(config.settings.map(\.isSecret) == [true, true, false])
        #expect(config.settings.map(\.typeName) == ["secret", "secret", "string"])
        #expect(config.settings.map(\.defaultValue) == [nil, .string(""), .string("x")])
        #expect(config.type.size == 48)
        #expect(plugin.instance?.takesChangedSettings == true)
    }

    private static let refused: [[PluginNote]] = {
        let plugin = PluginNote(.plugin, ["2.0", "levels", "1.0.0"])
        func effect(_ fields: String...) -> PluginNote { PluginNote(.effect, fields) }
        let instance = PluginNote(.instance, ["create", "destroy"])
        let life = PluginNote(.life, ["start", "stop"])
        func settings(_ member: String, _ rule: String...) -> PluginNote {
            PluginNote(.config, ["void spin_config(\(member))"] + rule)
        }
        func emitter(_ fields: String...) -> PluginNote { PluginNote(.emitter, fields) }
        func record(_ name: String, _ members: String) -> PluginNote {
            PluginNote(.record, [name, "struct \(name) {\(members)}"])
        }
        let loop = PluginNote(.loop, ["main", "case a|b 0 4\n@a {} 8 8\n.x f64 0 8\n@b {} 8 1\n"])
        let reconfigure = PluginNote(.reconfigure, ["reconfigure"])
        return [
            [PluginNote(.plugin, ["3.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1.2", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1.0.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["99999999999.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, [])],
            [PluginNote(.plugin, ["2.0", "", "1.0.0"])],
            [PluginNote(.plugin, ["2.0", "le vels", "1.0.0"])],
            [PluginNote(.plugin, ["2.0", "levels", ""])],
            [PluginNote(.plugin, ["2.0", "levels", "new"])],
            [effect("f", "void f(void)")],
            [plugin, PluginNote(.plugin, ["2.0", "other", "1.0.0"])],
            // Another ABI is said before anything else is read.
            [effect("f", "garbage"), PluginNote(.plugin, ["3.0", "levels", "1.0.0"])],
            [plugin, effect("f", "int f(unknown a)")],
            [plugin, effect("f", "int f()")],
            [plugin, effect("f", "")],
            [plugin, effect("f", "int g(void)")],
            [plugin, effect("f", "int f(spin_call *call)", "result < 0")],
            [plugin, effect("f", "void f(void)"), emitter("f", "void f(void)"), effect("f", "int f(void)")],
            [plugin, emitter("e", "int e(void)")],
            [plugin, emitter("e", "void e(const uint8_t *data, size_t size)")],
            [plugin, emitter("e", "void e(double values[3])")],
            [plugin, emitter("e", "void e(spin_call *call)")],
            [plugin, emitter("e", "void e(void)"), emitter("e", "void e(int32_t n)")],
            [plugin, effect("f", "int f(spin_self *self)")],
            [plugin, life],
            [plugin, instance, instance],
            [plugin, instance, life, life],
            [plugin, instance, PluginNote(.swap, ["save", "restore", "MY_SCHEMA"])],
            [plugin, instance, settings("spin_string a", "1", "", "", "")],
            [plugin, instance, settings("int8_t a", "200", "", "", "")],
            [plugin, instance, settings("uint8_t a", "-1", "", "", "")],
            [plugin, instance, settings("int a", "5", "6", "9", "")],
            [plugin, instance, settings("int a", "5", "9", "1", "")],
            [plugin, instance, settings("bool a", "true", "0", "1", "")],
            [plugin, instance, settings("int a", "LIMIT", "", "", "")],
            [plugin, instance, settings("double a", "\"1\"", "", "", "")],
            [plugin, instance, settings("spin_duration a", "\"soon\"", "", "", "")],
            [plugin, instance, settings("const char *a", "\"x\"", "", "", "")],
            [plugin, instance, settings("unknown a", "1", "", "", "")],
            [plugin, instance, PluginNote(.config, ["void spin_config(void)"])],
            [plugin, instance, PluginNote(.config, ["void spin_config(int a)"])],
            [plugin, instance, settings("int a", "1", "", "", ""), settings("int b", "1", "", "", "")],
            [plugin, record("p", "")],
            [plugin, record("p", "double x; double x;")],
            [plugin, record("p", "unknown x;")],
            [plugin, record("p", "struct q x;")],
            [plugin, record("p", "const char *text;")],
            [plugin, record("p", "double *values;")],
            [plugin, record("p", "spin_call *call;")],
            [plugin, record("p", "union { int a; } u;")],
            [plugin, record("p", "int flag : 1;")],
            [plugin, record("p", "double x[9000];")],
            [plugin, PluginNote(.record, ["p", "struct q { double x; }"])],
            [plugin, PluginNote(.record, ["p", "struct p { enum { A } x; }"])],
            [plugin, PluginNote(.record, ["p", "double p(void)"])],
            [plugin, PluginNote(.record, ["p"])],
            [plugin, record("p", "double x;"), record("p", "float x;")],
            [plugin, record("p", "spin_list_p children;")],
            [plugin, record("a", "b x;"), record("b", "spin_optional_a x;")],
            [plugin, record("size_t", "double x;")],
            [plugin, record("double", "double x;")],
            [plugin, record("bytes", "double x;")],
            [plugin, record("spin_list_p", "double x;"), record("p", "double x;")],
            [plugin, loop, record("main_state", "double x;")],
            [plugin, loop, record("p", "main_state state;")],
            [plugin, loop, emitter("e", "void e(main_state state)")],
            [plugin, emitter("e", "void e(spin_optional_point best)")],
            [plugin, effect("f", "int f(spin_list_point points)")],
            [plugin, effect("f", "int f(spin_secret key)")],
            [plugin, instance, settings("spin_secret key", "\"sesame\"", "", "", "")],
            [plugin, instance, settings("spin_secret key", "SPIN_REQUIRED", "1", "2", "")],
            [plugin, reconfigure],
            [plugin, instance, reconfigure],
            [plugin, instance, settings("int a", "1", "", "", ""), reconfigure, reconfigure],
        ]
    }()

    @Test func everyFault_namesPluginAndWhatWasExpected() throws {
        var text = ""
        for notes in Self.refused {
            text += "---- \(notes.map { "\($0.kind) \($0.fields)" }.joined(separator: ", "))\n"
            let error = try #require(
                #expect(throws: InterfaceError.self) {
                    try PluginDescription(notes: notes)
                })
            text += "error[\(error.code.rawValue)]: \(error.message)\n"
            for line in error.help { text += "  help: \(line)\n" }
        }
        try ExpectedText(name: "plugin-descriptions.txt").check(text)
    }
}
