import Foundation
import TestSupport
import Testing

/// `spinhost plugin info`: what a file says, as text and as JSON, and files that say nothing.
struct PluginInfoTests {
    private static let source = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("words", "2.1.0");
        SPIN_EMITTER(found, (const char *, word), (int32_t, place));
        static int64_t count(spin_string text) { return (int64_t)text.size; }
        SPIN_EFFECT_CHECKED(int64_t, count, (spin_string text), "Its bytes.", "result < 0");
        static void find(spin_call *call) { found(call, "", 0); spin_finish(call); }
        SPIN_EFFECT(void, find, (spin_call *call), "");

        """

    private func plugin(in folder: TemporaryFolder, flags: [String] = []) throws -> String {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(
            Self.source, in: folder, as: "words.so", flags: ["-I\(include)"] + flags)
        return folder.url("words.so").path
    }

    @Test func whatItProvides_isPrinted() throws {
        let folder = try TemporaryFolder()
        let file = try plugin(in: folder, flags: ["-nostdlib"])
        let outcome = try Spinhost.run("plugin", "info", file)
        let hash = try Shell.run("sha256sum", [file]).output.prefix(64)
        #expect(outcome.status == 0 && outcome.errors == "")
        var lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.removeFirst().hasPrefix("words 2.1.0, for ABI 2."))
        #expect(
            lines == [
                "effect   int64_t count(spin_string text), fails if result < 0", "         Its bytes.",
                "effect   void find(spin_call *call)", "emitter  found(const char * word, int32_t place)",
                "sha256 = \"\(hash)\"",
            ])
    }

    @Test func asJSON_itIsOneObject() throws {
        let folder = try TemporaryFolder()
        let file = try plugin(in: folder, flags: ["-z", "execstack", "-Wl,--no-as-needed", "-lm"])
        let outcome = try Spinhost.run("plugin", "info", file, "--json")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect((object["plugin"] as? [String: String])?["id"] == "words")
        let effects = try #require(object["effects"] as? [[String: Any]])
        #expect(effects.map { $0["name"] as? String } == ["count", "find"])
        #expect(effects.map { $0["emits"] as? Bool } == [false, true])
        #expect(object["needed"] as? [String] == ["libm.so.6", "libc.so.6"])
        #expect(object["executable-stack"] as? Bool == true)
        #expect(object["swift"] as? Bool == false)
    }

    @Test func instancesAndSettings_areSaid() throws {
        let plugin = try CompiledFixture("instances.c")
        let outcome = try Spinhost.run("plugin", "info", plugin.file.path)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.hasPrefix("instance") })
        #expect(
            lines[first..<first + 5] == [
                "instance one for each loop, or for the app, started before its loop and stopped after it",
                "setting  string name = \"sensor\"", "         What it prints itself as.",
                "setting  i32 rate = 10, 1 to 100", "         Its step.",
            ])
        #expect(lines.contains("setting  duration wait = \"5s\", \"0.001s\" to \"3600s\""))
        #expect(lines.contains("state    saved and restored, schema 3"))
        let json = try Spinhost.run("plugin", "info", plugin.file.path, "--json").output
        #expect(
            json.contains(
                #"{"name":"rate","type":"i32","default":10,"least":1,"greatest":100,"doc":"Its step."}"#))
        #expect(json.contains(#""schema":3"#))
    }

    @Test func structs_arePrinted() throws {
        let folder = try TemporaryFolder()
        let source = try String(
            contentsOf: Project.root.appendingPathComponent("Tests/Fixtures/manifests/libraries/tracks.c"),
            encoding: .utf8)
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let file = try CCompiler().sharedObject(source, in: folder, as: "tracks.so", flags: ["-I\(include)"])
        let lines = try Spinhost.run("plugin", "info", file).output.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { $0.hasPrefix("emitter") || $0.hasPrefix("record") } == [
                "emitter  measured(spin_list_track tracks, spin_optional_double length)",
                "record   struct point { double x; double y; }",
                "record   struct track { spin_string name; spin_list_point points; spin_optional_point best; }",
            ])
        let json = try Spinhost.run("plugin", "info", file, "--json").output
        #expect(
            json.contains(
                #""records":[{"name":"point","declaration":"struct point { double x; double y; }"},{"#))
    }

    @Test func aLibraryThatDescribesNothing_isNoError() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject("int f(void) { return 1; }", in: folder, as: "plain.so")
        let outcome = try Spinhost.run("plugin", "info", folder.url("plain.so").path)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("has no description: declare its functions in the manifest\n"))
        let json = try Spinhost.run("plugin", "info", folder.url("plain.so").path, "--json")
        #expect(json.output.contains("\"plugin\":null"))
    }

    @Test func swiftIsSaid() throws {
        let talker = Project.root.appendingPathComponent("build/Tests/Fixtures/swift-plugin/talker.so").path
        let outcome = try Spinhost.run("plugin", "info", talker)
        #expect(outcome.output.contains("\nSwift    contains Swift, so it is never unmapped\n"))
    }

    @Test func fileThatIsNoLibrary_isAnError() throws {
        let folder = try TemporaryFolder()
        try folder.write("text.so", "no library")
        let text = try Spinhost.run("plugin", "info", folder.url("text.so").path)
        #expect(text.status == 1 && text.output == "")
        #expect(text.errors.hasPrefix("error[P006]: "), "\(text.errors)")
        let missing = try Spinhost.run("plugin", "info", folder.url("missing.so").path)
        #expect(missing.status == 66)
        #expect(missing.errors.hasPrefix("error[P001]: "), "\(missing.errors)")
        #expect(try Spinhost.run("plugin", "info").status == 64)
        #expect(try Spinhost.run("plugin", "info", "--steps", "x").status == 64)
    }
}
