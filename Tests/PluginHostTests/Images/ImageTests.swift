import Foundation
import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// How libraries are loaded, and what is refused.
@Suite struct ImageTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func fault(_ body: () throws -> Void) throws -> PluginError {
        try #require(#expect(throws: PluginError.self, performing: body))
    }

    @Test func `the same file loaded twice gives two images with variables of their own`() throws {
        let (first, second) = (try host.open("statics.c"), try host.open("statics.c"))
        let count = "int64_t count_up(void)"
        #expect(try call(first, count)["result"] == .int(1))
        #expect(try call(first, count)["result"] == .int(2))
        #expect(try call(second, count)["result"] == .int(1))
        #expect(first.stagedPath != second.stagedPath)
    }

    @Test func `changes of the file after loading have no effect`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("statics.so").path
        try FileManager.default.copyItem(atPath: PluginFixture.path("statics.c"), toPath: path)
        let image = try host.open(path: path)
        try Data(repeating: 0xCC, count: 1 << 16).write(to: folder.url("statics.so"))
        #expect(try call(image, "int64_t count_up(void)")["result"] == .int(1))
        try FileManager.default.removeItem(atPath: path)
        #expect(try call(image, "int64_t count_up(void)")["result"] == .int(2))
    }

    @Test func `a copy keeps its file's name, and is gone when the folder is closed`() throws {
        let path = try PluginFixture.path("statics.c")
        let image = try host.open(path: path)
        let copy = try #require(image.stagedPath)
        #expect(copy.hasPrefix(host.staging.path + "/1-"))
        #expect((copy as NSString).lastPathComponent == (path as NSString).lastPathComponent)
        let attributes = try FileManager.default.attributesOfItem(atPath: host.staging.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        host.staging.close()
        #expect(!FileManager.default.fileExists(atPath: host.staging.path))
        #expect(try call(image, "int64_t count_up(void)")["result"] == .int(1))
        #expect(try fault { _ = try host.open(path: path) }.code == .notStaged)
    }

    @Test func `a version is described by its own notes, also when they are those of the one before`() throws
    {
        func open(_ number: Int, effect: String, replacing old: PluginImage? = nil) throws -> PluginImage {
            let source = """
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("told", "1.0.0");
                static int64_t \(effect)(void) { return \(number); }
                SPIN_EFFECT(int64_t, \(effect), (void), "Answers its number.");
                """
            let path = try PluginFixture.path(source: source, as: "told\(number).c")
            return try PluginImage.open(
                try host.staging.stage(path), replacing: old, services: host.services)
        }
        let first = try open(1, effect: "tell")
        let second = try open(2, effect: "tell", replacing: first)
        #expect(second.description == first.description)
        #expect(try host.call(second, "tell") == .int(2))
        #expect(try host.call(first, "tell") == .int(1))
        let third = try open(3, effect: "say", replacing: second)
        #expect(third.description?.effects.map(\.name) == ["say"])
        #expect(try host.call(third, "say") == .int(3))
        let plain = try PluginImage.open(
            try host.staging.stage(PluginFixture.path("statics.c")), replacing: third, services: host.services
        )
        #expect(plain.description == nil)
    }

    @Test func `a missing function is named, with the one that was meant`() throws {
        let image = try host.open("statics.c")
        let error = try fault { _ = try image.address(of: "count_upp") }
        #expect(error.code == .missingSymbol)
        #expect(error.message == "`\(image.library)` has no function `count_upp`")
        #expect(error.help == ["did you mean `count_up`?"])
        #expect(error.symbol == "count_upp")
        let libc = try host.open(system: "libc.so.6")
        #expect(
            try fault { _ = try libc.address(of: "getloadaverage") }.message
                == "`libc.so.6` has no function `getloadaverage`")
        #expect(try fault { _ = try libc.address(of: "gethostnam") }.help == ["did you mean `gethostname`?"])
        let plugin = try host.open("emits.c")
        #expect(try fault { _ = try plugin.effect("finnish") }.help == ["did you mean `finish`?"])
    }

    @Test func `a variable is no function`() throws {
        let image = try host.open("statics.c")
        let error = try fault { _ = try image.address(of: "variable") }
        #expect(error.code == .notCallable)
        #expect(error.message == "`variable` of `\(image.library)` is a variable, not a function")
    }

    @Test func `a file that is no library is refused by name`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.url("missing.so").path
        #expect(
            try fault { _ = try host.open(path: missing) }.message
                == "cannot read `\(missing)`: no such file or directory")
        #expect(try fault { _ = try host.open(path: folder.root.path) }.code == .fileIsDirectory)
        let text = try folder.write("text.so", "not a library")
        let error = try fault { _ = try host.open(path: text) }
        #expect(error.code == .fileNotELF)
        #expect(error.message.contains("`\(text)`"))
        #expect(!error.message.contains(host.staging.path))
    }

    @Test func `a library cut off anywhere is refused or works, and never crashes`() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: PluginFixture.path("emits.c")))
        let folder = try TemporaryFolder()
        var refused = 0
        for size in stride(from: 0, to: whole.count, by: 512) {
            let file = folder.url("cut-\(size).so")
            try whole.prefix(size).write(to: file)
            do {
                let image = try host.open(path: file.path)
                #expect(try host.call(image, "generation") != nil)
            } catch is PluginError { refused += 1 }
        }
        #expect(refused > whole.count / 1024)
    }

    @Test func `a library of the system that is missing is named`() throws {
        let error = try fault { _ = try host.open(system: "libnosuchthing.so.7") }
        #expect(error.code == .notLoaded)
        #expect(error.message == "there is no library `libnosuchthing.so.7`")
    }

    @Test func `a symbol that nobody defines is named when the library is loaded`() throws {
        let path = try PluginFixture.path("undefined.c")
        let error = try fault { _ = try host.open(path: path) }
        #expect(error.code == .notLoaded)
        #expect(
            error.message == "`\(path)` uses `defined_nowhere`, which none of the libraries it needs defines")
        #expect(error.symbol == "defined_nowhere")
    }

    @Test(arguments: [[], ["-Wl,-soname,libhelper.so.1"]])
    func `a library beside the plugin is found from where the plugin was`(flags: [String]) throws {
        let folder = try TemporaryFolder()
        let name = flags.isEmpty ? "libplain.so" : "libhelper.so.1"
        let helper = folder.url(name).path
        try FileManager.default.copyItem(
            atPath: PluginFixture.path("helper.c", flags: flags), toPath: helper)
        let source = try PluginFixture.source("needs_helper.c")
        let plugin = try CCompiler().sharedObject(
            source, in: folder, as: "plugin.so",
            flags: ["-L\(folder.root.path)", "-l:\(name)", "-Wl,-rpath,$ORIGIN"])
        let image = try host.open(path: plugin)
        #expect(try call(image, "int32_t ask_helper(void)")["result"] == .int(42))
    }

    @Test(
        arguments: [
            ("$ORIGIN/lib", "lib"), ("/nowhere:${ORIGIN}/a/../lib/deep", "lib/deep"),
            ("$ORIGIN/../lib", "../lib"),
        ], [true, false])
    func `a library where the plugin's search path leads is found from where the plugin was`(
        search: (path: String, folder: String), hasName: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let plugins = folder.url("plugins")
        let libraries = plugins.appendingPathComponent(search.folder)
        for made in [plugins.appendingPathComponent("a"), libraries] {
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        }
        // A name of its own for each case: the loader recognises a library of the process by it.
        let name = "libsearched\(hasName)\(search.folder.count).so"
        try FileManager.default.copyItem(
            atPath: PluginFixture.path("helper.c", flags: hasName ? ["-Wl,-soname,\(name)"] : ["-DNAMELESS"]),
            toPath: libraries.appendingPathComponent(name).path)
        let built = try CCompiler().sharedObject(
            try PluginFixture.source("needs_helper.c"), in: folder, as: "plugin.so",
            flags: ["-L\(libraries.path)", "-l:\(name)", "-Wl,-rpath,\(search.path)"])
        let plugin = plugins.appendingPathComponent("plugin.so").path
        try FileManager.default.moveItem(atPath: built, toPath: plugin)
        let image = try host.open(path: plugin)
        #expect(try call(image, "int32_t ask_helper(void)")["result"] == .int(42))
    }

    @Test func `a library beside the plugin may need another one there`() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            "int base(void) { return 40; }", in: folder, as: "libbase.so", flags: ["-Wl,-soname,libbase.so"])
        let middle = try CCompiler().sharedObject(
            "int base(void); int helped(void) { return base() + 2; }", in: folder, as: "libmiddle.so",
            flags: ["-Wl,-soname,libmiddle.so", "-L\(folder.root.path)", "-l:libbase.so"])
        #expect(try ELFFile(path: middle).searchPath == [])
        let plugin = try CCompiler().sharedObject(
            try PluginFixture.source("needs_helper.c"), in: folder, as: "plugin.so",
            flags: [
                "-L\(folder.root.path)", "-Wl,--no-as-needed", "-l:libmiddle.so", "-l:libbase.so",
                "-Wl,-rpath,$ORIGIN",
            ])
        let image = try host.open(path: plugin)
        #expect(try call(image, "int32_t ask_helper(void)")["result"] == .int(42))
    }

    @Test func `a library that the plugin needs and nobody has is named`() throws {
        let folder = try TemporaryFolder()
        let helper = folder.url("libgone.so").path
        try FileManager.default.copyItem(
            atPath: PluginFixture.path("helper.c", flags: ["-DGONE"]), toPath: helper)
        let plugin = try CCompiler().sharedObject(
            try PluginFixture.source("needs_helper.c"), in: folder, as: "plugin.so",
            flags: ["-L\(folder.root.path)", "-l:libgone.so"])
        try FileManager.default.removeItem(atPath: helper)
        let error = try fault { _ = try host.open(path: plugin) }
        #expect(error.message == "`\(plugin)` needs `libgone.so`, which was not found")
        #expect(error.symbol == "libgone.so")
    }

    @Test func `another ABI major is refused before any code of the library runs`() throws {
        let path = try PluginFixture.path("other_major.c")
        let error = try fault { _ = try host.open(path: path) }
        #expect(error.code == .abiMismatch)
        #expect(error.message == "plugin `future` differs in the ABI's major version: expected 2, found 3")
        #expect(error.library == path)
    }

    @Test func `a plugin that does not export what its notes say is refused`() throws {
        let path = try PluginFixture.path("hidden.c")
        let error = try fault { _ = try host.open(path: path) }
        #expect(error.code == .contradictoryPlugin)
        #expect(error.message == "`\(path)` is not what its notes say: it does not export `spin_entry`")
    }

    @Test func `a constructor that calls the host gets the answer that there is none yet`() throws {
        let image = try host.open("constructor.c")
        for index in 0..<4 {
            #expect(try host.call(image, "seen_at", .int(Int64(index))) == .int(-8))
        }
    }

    @Test(arguments: [("cc", "c++"), ("c++", "cc")])
    func `files in C and in C++ share a header with bool in its declarations`(
        first: String, second: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "shared.h",
            """
            #include <spinhost/plugin.h>
            #include <stdbool.h>
            SPIN_RECORD(gate, (bool, is_open), (spin_list_bool, earlier));
            SPIN_EMITTER(told, (bool, is_open), (gate, other));
            SPIN_CONFIG((bool, fast, true, ""));
            """)
        let include = ["-I\(Project.root.path)/Sources/CPluginABI/include", "-I\(folder.root.path)", "-w"]
        let other = try folder.write(second == "cc" ? "other.c" : "other.cpp", "#include \"shared.h\"\n")
        let object = folder.url("other.o").path
        #expect(try Shell.run(second, ["-c", "-fPIC", "-o", object, other] + include).errors == "")
        let source = """
            #include "shared.h"
            SPIN_PLUGIN("gates", "1.0");
            struct spin_self { int n; };
            static struct spin_self only;
            static spin_self *create(spin_call *call, const spin_config *config) { return &only; }
            static void destroy(spin_self *self) {}
            SPIN_INSTANCE(create, destroy);
            """
        let path = try CCompiler(first).sharedObject(
            source, in: folder, as: "gates.so", flags: include + [object])
        let image = try host.open(path: path)
        #expect(image.description?.emitter("told")?.fields.map(\.received.type.name).first == "bool")
        #expect(
            image.description?.records.map(\.text) == [
                "struct gate { bool is_open; spin_list_bool earlier; }"
            ])
    }
}
