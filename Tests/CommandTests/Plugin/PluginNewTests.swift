import Foundation
import TestSupport
import Testing

/// `spinhost plugin new`: what it makes builds, passes its tests and runs, with nothing but an installed host.
@Suite(.timeLimit(.minutes(10))) struct PluginNewTests {
    /// Puts the program there.
    private static func install(_ program: String) throws {
        let files = FileManager.default
        do { try files.linkItem(atPath: Project.spinhost, toPath: program) } catch {
            // Another file system.
            try files.copyItem(atPath: Project.spinhost, toPath: program)
        }
    }

    /// A host that is installed in a folder whose name has a space.
    private struct Installed {
        let folder: TemporaryFolder
        let program: String

        init() throws {
            folder = try TemporaryFolder()
            let prefix = folder.url("a host").path
            let build = Project.root.appendingPathComponent("build").path
            let installed = try Shell.run("cmake", ["--install", build, "--prefix", prefix])
            try #require(installed.status == 0, "\(installed.errors)")
            try FileManager.default.createDirectory(
                atPath: "\(prefix)/bin", withIntermediateDirectories: true)
            program = "\(prefix)/bin/spinhost"
            // Its own file: a symbolic link would lead to the checkout.
            try PluginNewTests.install(program)
        }
    }

    @Test(arguments: ["c", "c++", "swift"] + (LanguageTests.hasRust ? ["rust"] : []))
    func project_buildsPassesItsTestsAndRuns_withAnInstalledHost(_ language: String) throws {
        _ = try makeBuildAndRun(language)
    }

    @Test(.enabled(if: ZigCompiler.program != nil, ZigCompiler.isMissing))
    func projectInZig_buildsPassesItsTestsAndRuns_withAnInstalledHost_alsoWithoutCMake() throws {
        let host = try makeBuildAndRun("zig", environment: ZigCompiler.environment)
        let project = host.folder.url("my plugin")
        let library = project.appendingPathComponent("zig-out/words_1.so").path
        let option = "-Dspinhost=\(host.folder.url("a host").path)"
        let cache = ["--cache-dir", "build/zig"]
        let zig = try #require(ZigCompiler.program)
        let built = try Shell.run("env", [zig, "build", "--release", option] + cache, in: project)
        #expect(built.status == 0, "\(built.errors)")
        let checked = try CheckedPlugin(library, ["--call"])
        #expect(checked.status == 0 && checked.failed == [], "\(checked.failed)")
        #expect(!checked.lines.contains { $0.status == "warning" })
    }

    /// Makes a project with an installed host, builds and tests it with CMake, and runs its app.
    private func makeBuildAndRun(_ language: String, environment: [String: String] = [:]) throws -> Installed
    {
        let host = try Installed()
        let made = try Shell.run(
            host.program, ["plugin", "new", "words_1", "--language", language, "--directory", "my plugin"],
            in: host.folder.root)
        #expect(made.status == 0 && made.errors == "", "\(made.errors)")
        let build = "cmake --workflow --preset default"
        #expect(made.output == "made my plugin; now type: cd 'my plugin' && \(build) && spinhost\n")
        let project = host.folder.url("my plugin")
        let built = try Shell.run("bash", ["-c", build], in: project, environment: environment)
        #expect(built.status == 0, "\(built.output)\(built.errors)")
        #expect(built.output.contains("100% tests passed, 0 tests failed out of 5"), "\(built.output)")
        let cache = try String(
            contentsOf: project.appendingPathComponent("build/CMakeCache.txt"), encoding: .utf8)
        #expect(cache.contains("Spinhost_DIR:PATH=\(host.folder.url("a host").path)/share/cmake/Spinhost\n"))
        for verb in ["check", "test"] {
            let outcome = try Shell.run(host.program, [verb], in: project)
            #expect(outcome.status == 0 && outcome.errors == "", "\(verb): \(outcome.errors)")
        }
        let run = try Shell.run(host.program, ["--json"], in: project)
        #expect(run.status == 0, "\(run.errors)")
        let state = #""state":{"text":"one two three","words":3,"seen":3,"longest":"three"}"#
        #expect(run.output.split(separator: "\n").last?.contains(state) == true, "\(run.output)")
        return host
    }

    @Test func project_isConfigured_withAHostThatIsNotInstalled() throws {
        let folder = try TemporaryFolder()
        let made = try Spinhost.run("plugin", "new", "words", in: folder)
        #expect(made.status == 0 && made.errors == "", "\(made.errors)")
        let format = try Shell.run(Project.spinhost, ["fmt", "--check"], in: folder.url("words"))
        #expect((format.status, format.output, format.errors) == (0, "", ""))
        let configured = try Shell.run("cmake", ["--preset", "default"], in: folder.url("words"))
        #expect(configured.status == 0, "\(configured.errors)")
        let cache = try String(contentsOf: folder.url("words/build/CMakeCache.txt"), encoding: .utf8)
        #expect(cache.contains("Spinhost_DIR:PATH=\(Project.root.path)/build\n"))
    }

    @Test func program_withoutAPackage_saysSo() throws {
        let folder = try TemporaryFolder()
        let program = folder.url("spinhost").path
        try Self.install(program)
        let made = try Shell.run(program, ["plugin", "new", "words"], in: folder.root)
        #expect(made.status == 0)
        #expect(made.errors.hasPrefix("note: no CMake package of spinhost was found beside this program"))
    }

    @Test func folder_thatHasSomething_isLeftAlone_andAnEmptyOneIsUsed() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url("full"), withIntermediateDirectories: false)
        try folder.write("full/file", "mine")
        try folder.write("words", "mine")
        for name in [["words"], ["other", "--directory", "full"]] {
            let outcome = try Shell.run(Project.spinhost, ["plugin", "new"] + name, in: folder.root)
            #expect(outcome.status == 1)
            let path = name.last ?? ""
            #expect(outcome.errors == "error: `\(path)` already exists; choose another name\n")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url("full").path) == ["file"])
        try FileManager.default.createDirectory(at: folder.url("empty"), withIntermediateDirectories: false)
        #expect(try Spinhost.run("plugin", "new", "x", "--directory", "empty", in: folder).status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.url("empty/plugin.c").path))
    }

    @Test(arguments: [
        "", "1a", "a-b", "a/b", "ä", "a b", "std", "class", "all", String(repeating: "a", count: 65),
    ])
    func invalidNames_areRefused(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Spinhost.run("plugin", "new", "--", name, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("`\(name)` cannot be a plugin's name: "), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path).isEmpty)
    }

    @Test(arguments: [
        ("p_c++", "p_c"), ("a-b", "a_b"), ("1a", "a"), ("./a b/", "a_b"), ("std", "std_plugin"),
        ("class!", "class_plugin"),
        (String(repeating: "a", count: 65), String(repeating: "a", count: 64)),
    ])
    func invalidNames_getASuggestion_thatIsAccepted(_ name: String, _ suggestion: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Spinhost.run("plugin", "new", "--", name, in: folder)
        #expect(outcome.errors.contains("; `\(suggestion)` can\n"), "\(outcome.errors)")
        #expect(try Spinhost.run("plugin", "new", "--", suggestion, in: folder).status == 0)
    }

    @Test func language_thatIsNotKnown_isExit64_withThoseThatAre() throws {
        let outcome = try Spinhost.run("plugin", "new", "x", "--language", "java")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("c++"), "\(outcome.errors)")
    }
}
