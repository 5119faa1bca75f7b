import Foundation
import TestSupport
import Testing

/// `spinhost header`, and plugins that were compiled with what it writes.
struct HeaderCommandTests {
    private static let fixtures = Project.root.appendingPathComponent("Tests/Fixtures/reducers")
    private static let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path

    /// A folder with the manifest of the fixture, its header, and the plugin that `source` makes.
    private func project(_ source: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml", String(contentsOf: Self.fixtures.appendingPathComponent("app.toml"), encoding: .utf8))
        let header = try Spinhost.run("header", "-o", "player.h", in: folder)
        #expect((header.status, header.output, header.errors) == (0, "", ""))
        try build(source, in: folder)
        return folder
    }

    private func build(_ source: String, in folder: TemporaryFolder) throws {
        let text = try String(contentsOf: Self.fixtures.appendingPathComponent(source), encoding: .utf8)
        _ = try CCompiler(source.hasSuffix(".cpp") ? "c++" : "cc").sharedObject(
            text, in: folder, as: "player.so",
            flags: [
                source.hasSuffix(".cpp") ? "-std=c++17" : "-std=c11", "-Wall", "-Wextra", "-pedantic",
                "-Werror",
                "-fvisibility=hidden", "-I\(Self.include)", "-I\(folder.root.path)",
            ])
    }

    @Test func pluginInC_reducesAndEmitsEvents_thatTheManifestDeclines() throws {
        let folder = try project("player.c")
        let checked = try Spinhost.run("check", "--deny-warnings", in: folder)
        #expect((checked.status, checked.errors) == (0, ""))
        let outcome = try Spinhost.run("--json", in: folder)
        #expect(outcome.errors.contains("done: 8 steps"))
        let states = outcome.output.split(separator: "\n").compactMap { line in
            line.firstRange(of: #""state":"#).map { line[$0.upperBound...].prefix { $0 != "\n" } }
        }
        #expect(
            states.map { String($0.prefix(upTo: $0.firstRange(of: #","origin""#)!.lowerBound)) } == [
                #"{"volume":3,"muted":false,"mode":"once","title":"","queue":[],"last":null,"done":false}"#,
                #"{"volume":3,"muted":false,"mode":"once","title":"","queue":["Blue","Grün"],"last":null,"done":false}"#,
                #"{"volume":5,"muted":false,"mode":"once","title":"","queue":["Blue","Grün"],"last":null,"done":false}"#,
                #"{"volume":5,"muted":false,"mode":"forever","title":"Blue","queue":["Grün"],"last":null,"done":false}"#,
                #"{"volume":5,"muted":false,"mode":"forever","title":"Grün","queue":[],"last":"Blue","done":false}"#,
                #"{"volume":5,"muted":false,"mode":"forever","title":"(nothing)","queue":[],"last":"Grün","done":false}"#,
                #"{"volume":5,"muted":true,"mode":"forever","title":"(nothing)","queue":[],"last":"Grün","done":false}"#,
                #"{"volume":0,"muted":true,"mode":"forever","title":"(nothing)","queue":[],"last":"Grün","done":false}"#,
                #"{"volume":0,"muted":true,"mode":"forever","title":"(nothing)","queue":[],"last":"Grün","done":true}"#,
            ])
    }

    @Test func nativeReducer_isRefused_byWhatOpensNoLibrary() throws {
        let folder = try project("player.c")
        let recording = try Spinhost.run("--json", in: folder)
        try folder.write("run.jsonl", recording.output)
        let replay = try Spinhost.run("replay", "run.jsonl", in: folder)
        let help = "  = help: with `--libraries` it loads the plugins of native reducers\n"
        #expect(
            replay.errors
                == "error: loop `player` has a native reducer, but `replay` loads no library\n\(help)")
        #expect((replay.status, replay.output) == (69, ""))
        let manifest = try String(contentsOf: folder.url("app.toml"), encoding: .utf8)
        try folder.write(
            "app.toml",
            manifest
                + "\n[[tests]]\nname = \"mutes\"\nevents = [{ muted = {} }]\nexpect = { muted = true }\n")
        let test = try Spinhost.run("test", in: folder)
        #expect(
            test.errors
                == "error: loop `player` has a native reducer, but `test` loads no library\n\(help)")
        #expect((test.status, test.output) == (69, ""))
    }

    @Test func pluginInCPlusPlus_runsToo() throws {
        let folder = try project("player.cpp")
        let outcome = try Spinhost.run("--json", in: folder)
        #expect(outcome.errors.contains("done: 2 steps"))
        #expect(outcome.output.contains(#""state":{"volume":7,"muted":false"#))
    }

    @Test func pluginBuiltWithAnOlderHeader_isRefused_withTheFieldThatDiffers() throws {
        let folder = try project("player.c")
        let manifest = try String(contentsOf: folder.url("app.toml"), encoding: .utf8)
        try folder.write(
            "app.toml", manifest.replacingOccurrences(of: "volume = 3", with: "volume = { type = \"i32\" }"))
        let expected = """
            error[P017]: plugin `player` was compiled with another header: `player_state.volume`: expected `i32` at byte 0, found `i64` at byte 0
             --> app.toml:4:11
              |
            4 | library = "./player.so"
              |           ^^^^^^^^^^^^^
            ...
            6 | [loops.player]
              |        ------ this loop uses it
              = help: run `spinhost header` and rebuild the plugin

            error: 1 fault in app.toml

            """
        let checked = try Spinhost.run("check", in: folder)
        #expect((checked.status, checked.output, checked.errors) == (1, "", expected))
        let run = try Spinhost.run(in: folder)
        #expect((run.status, run.output, run.errors) == (69, "", expected))
        // What it says helps.
        #expect(try Spinhost.run("header", "-o", "player.h", in: folder).status == 0)
        try build("player.c", in: folder)
        #expect(try Spinhost.run("check", in: folder).status == 0)
    }

    @Test func file_isWrittenOnlyWhenItsContentChanges() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "[loops.a]\nstate = { n = 0 }\n")
        #expect(try Spinhost.run("header", "-o", "a.h", in: folder).status == 0)
        let text = try String(contentsOf: folder.url("a.h"), encoding: .utf8)
        #expect(try Spinhost.run("header", in: folder).output == text)
        #expect(text.contains("int64_t n;"))
        func identity() throws -> [NSObject?] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.url("a.h").path)
            return [attributes[.systemFileNumber] as? NSNumber, attributes[.modificationDate] as? NSDate]
        }
        let first = try identity()
        #expect(try Spinhost.run("header", "-o", "a.h", in: folder).status == 0)
        #expect(try identity() == first)
        try folder.write("app.toml", "[loops.a]\nstate = { n = 0.5 }\n")
        #expect(try Spinhost.run("header", "--output", "a.h", in: folder).status == 0)
        #expect(try identity() != first)
        #expect(try String(contentsOf: folder.url("a.h"), encoding: .utf8).contains("double n;"))
        // Shorter and longer than before.
        try folder.write("a.h", "")
        #expect(try Spinhost.run("header", "-o", "a.h", in: folder).status == 0)
        try folder.write("a.h", text + text)
        #expect(try Spinhost.run("header", "-o", "a.h", in: folder).status == 0)
        #expect(try String(contentsOf: folder.url("a.h"), encoding: .utf8).contains("double n;"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() == [
                "a.h", "app.toml",
            ])
    }

    @Test func headerThatCannotBeMade_isReported_andNothingIsWritten() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "[loops.a]\nstate = { n = { type = \"ints\" } }\n")
        let faulty = try Spinhost.run("header", "-o", "a.h", in: folder)
        #expect(faulty.status == 78)
        #expect(faulty.errors.hasPrefix("error[M016]: unknown type `ints`\n"))
        #expect(!FileManager.default.fileExists(atPath: folder.url("a.h").path))
        try folder.write("app.toml", "[loops.a]\n")
        for (path, reason) in [
            ("no/a.h", "no such file or directory"), (".", "is a directory"), ("/dev/null", "file exists"),
        ] {
            let outcome = try Spinhost.run("header", "-o", path, in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors == "error: `\(path)` cannot be written: \(reason)\n")
        }
        let flag = try Spinhost.run("header", "--steps", in: folder)
        #expect(flag.status == 64)
    }
}
