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
        // What the header's macros export is what the notes say.
        for name in ["spin_plugin_info", "spin_effect_fetch", "spin_emitter_loaded"] {
            #expect(file.defines(name))
        }
    }

    @Test func payload_isLaidOutAsTheCompilerDoes() throws {
        let emitter = try PluginDescription(notes: [
            PluginNote(.plugin, ["1.0", "p", "1"]),
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

    @Test func libraryWithoutNotes_describesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try CCompiler().sharedObject("int f(void) { return 1; }", in: folder, as: "f.so")
        #expect(try PluginDescription.read(from: ELFFile(path: path)) == nil)
    }

    @Test func pluginOfAnotherMajor_isRefusedFromTheFileAlone() throws {
        let folder = try TemporaryFolder()
        let path = try compiled(Self.source, in: folder)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("1.1\0levels\0".utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "2")
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: InterfaceError.self) {
            try PluginDescription.read(from: try ELFFile(path: path))
        }
        #expect(error?.code == .abiMismatch)
        #expect(error?.message == "plugin `levels` differs in the ABI's major version: expected 1, found 2")
    }

    @Test func abiOfThisHost_isThatOfTheHeader() throws {
        let text = try String(
            contentsOf: Self.header.appendingPathComponent("spinhost/plugin.h"), encoding: .utf8)
        #expect(text.contains("#define SPIN_ABI_MAJOR \(ABIVersion.host.major)\n"))
        #expect(text.contains("#define SPIN_ABI_MINOR \(ABIVersion.host.minor)\n"))
    }

    @Test func newerMinor_isAcceptedWhenThePluginCanLiveWithLess() throws {
        let host = ABIVersion(major: 1, minor: 2)
        for (abi, least) in [("1.0", ""), ("1.2", ""), ("1.3", "2"), ("1.9", "0"), ("1.1", "1")] {
            let plugin = try PluginDescription(
                notes: [PluginNote(.plugin, [abi, "p", "1.0", least])], host: host)
            #expect(plugin.abi.description == abi)
        }
    }

    private static let refused: [[PluginNote]] = {
        let plugin = PluginNote(.plugin, ["1.0", "levels", "1.0.0"])
        func effect(_ fields: String...) -> PluginNote { PluginNote(.effect, fields) }
        func emitter(_ fields: String...) -> PluginNote { PluginNote(.emitter, fields) }
        return [
            [PluginNote(.plugin, ["2.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["0.9", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1.2", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1.3", "levels", "1.0.0", "2"])],
            [PluginNote(.plugin, ["1.2", "levels", "1.0.0", "none"])],
            [PluginNote(.plugin, ["", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["1.0.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, ["99999999999.0", "levels", "1.0.0"])],
            [PluginNote(.plugin, [])],
            [PluginNote(.plugin, ["1.0", "", "1.0.0"])],
            [PluginNote(.plugin, ["1.0", "le vels", "1.0.0"])],
            [PluginNote(.plugin, ["1.0", "levels", ""])],
            [PluginNote(.plugin, ["1.0", "levels", "new"])],
            [effect("f", "void f(void)")],
            [plugin, PluginNote(.plugin, ["1.0", "other", "1.0.0"])],
            // Another ABI is said before anything else is read.
            [effect("f", "garbage"), PluginNote(.plugin, ["2.0", "levels", "1.0.0"])],
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
            [plugin, emitter("e", "void e(void)"), emitter("e", "void e(void)")],
        ]
    }()

    @Test func everyFault_namesPluginAndWhatWasExpected() throws {
        var text = ""
        for notes in Self.refused {
            text += "---- \(notes.map { "\($0.kind) \($0.fields)" }.joined(separator: ", "))\n"
            let error = try #require(
                #expect(throws: InterfaceError.self) { try PluginDescription(notes: notes) })
            text += "error[\(error.code.rawValue)]: \(error.message)\n"
            for line in error.help { text += "  help: \(line)\n" }
        }
        try ExpectedText(name: "plugin-descriptions.txt").check(text)
    }
}
