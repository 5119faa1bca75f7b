import Foundation
import Glibc
import TestSupport
import Testing

/// `spinhost dev` with plugins that it builds.
@Suite(.timeLimit(.minutes(10))) struct DevBuildTests {
    /// A folder with an app that asks a plugin in each state, until it answers 4.
    private struct World {
        let folder: TemporaryFolder

        init(_ plugin: String, source: String = NumbersApp.source(1)) throws {
            folder = try TemporaryFolder(suffix: " with spaces")
            try folder.write("app.toml", NumbersApp.manifest(plugin))
            try folder.write("numbers.c", source)
        }

        /// As an editor does that writes another file first.
        func save(_ source: String) throws {
            try folder.write(".numbers.c.new", source)
            // Safe because the paths are borrowed for the call.
            guard unsafe rename(folder.url(".numbers.c.new").path, folder.url("numbers.c").path) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }

        /// The lines of a file that builds write to.
        func lines(_ name: String = "builds") -> [Substring] {
            ((try? String(contentsOf: folder.url(name), encoding: .utf8)) ?? "").split(separator: "\n")
        }

        func start(_ arguments: String...) throws -> RunningProgram {
            try RunningProgram(
                ["dev", "--once", "--manifest", "app.toml"] + arguments, in: folder.root,
                environment: ["INCLUDE": NumbersApp.include])
        }

        /// Starts the app and waits until it runs.
        func run() throws -> RunningProgram {
            let program = try start("--quiet")
            try #require(program.nextLine() == "ready")
            return program
        }

        /// What counts builds, and then builds as one does without `build`.
        static let counting = #"""
            source = "numbers.c"
            build  = "echo built >> builds; cc -I\"$INCLUDE\" -shared -fPIC -o lib.so numbers.c"
            """#

    }

    @Test func aSourceThatIsSaved_isBuiltAndSwapped_andTheCompilersErrorsAreShown() throws {
        let world = try World("source = \"numbers.c\"")
        // The library is not there yet.
        let program = try world.run()
        try world.save(NumbersApp.source(2))
        try #require(program.waitForErrors("swapped `numbers` 1.0 → 2.0\n"))
        // Half of it.
        try world.folder.write("numbers.c", String(NumbersApp.source(3).dropLast(20)))
        try #require(program.waitForErrors("build of `numbers` failed: exit code 1\n"))
        try world.folder.write("numbers.c", NumbersApp.source(3))
        try #require(program.waitForErrors("swapped `numbers` 2.0 → 3.0\n"))
        try world.save(NumbersApp.source(4))
        let end = program.end()
        #expect(end.status == 0)
        #expect(end.errors.contains("numbers.c:4:"), "\(end.errors)")
        #expect(end.errors.contains("error: "), "\(end.errors)")
        #expect(end.errors.hasSuffix("swapped `numbers` 3.0 → 4.0\n"), "\(end.errors)")
    }

    @Test func whatIsSavedWhileABuildRuns_isBuiltAfterIt_once() throws {
        let world = try World(
            #"""
            source = "numbers.c"
            build  = """
            echo built >> builds; n=$(wc -l < builds); echo "building $n"
            while [ ! -e "go$n" ]; do sleep 0.02; done
            cc -I"$INCLUDE" -shared -fPIC -o lib.so numbers.c && echo built $n"""
            """#)
        try world.folder.write("go1", "")
        let program = try world.run()
        try world.save(NumbersApp.source(2))
        try #require(program.waitForErrors("building 2\n"))
        for number in [3, 2, 3] { try world.save(NumbersApp.source(number)) }
        for build in 2...3 { try world.folder.write("go\(build)", "") }
        try #require(program.waitForErrors("swapped `numbers` 1.0 → 3.0\n"))
        try #require(program.waitForErrors("built 3\n"))
        for build in 4...6 { try world.folder.write("go\(build)", "") }
        try world.save(NumbersApp.source(4))
        #expect(program.end().status == 0)
        #expect(world.lines().count == 4)
    }

    @Test func tenSaves_areAFewBuilds() throws {
        for _ in 0..<20 {
            let world = try World(World.counting)
            let program = try world.run()
            let took = try ContinuousClock().measure {
                for number in [1, 2, 3, 1, 2, 3, 1, 2, 3, 4] { try world.save(NumbersApp.source(number)) }
            }
            #expect(program.end().status == 0)
            // A busy machine may let so much time pass between them that each is built, and is to be.
            guard took < .milliseconds(200) else { continue }
            return #expect(world.lines().count <= 5, "\(world.lines())")
        }
        Issue.record("twenty times ten saves took longer than a fifth of a second")
    }

    @Test func aBuildThatHangs_endsWithTheApp_andAllThatItStarted() throws {
        let world = try World(
            #"""
            source = "numbers.c"
            build  = """
            if [ -e lib.so ]; then sleep 1000 & echo $! $$ > pids; echo hangs; wait; fi
            cc -I"$INCLUDE" -shared -fPIC -o lib.so numbers.c"""
            """#)
        let program = try world.run()
        try world.save(NumbersApp.source(2))
        try #require(program.waitForErrors("hangs\n"))
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0)
        #expect(!end.errors.contains("failed"), "\(end.errors)")
        let pids = world.lines("pids").flatMap { $0.split(separator: " ") }.compactMap { Int32($0) }
        #expect(pids.count == 2)
        // The signal has reached them; they may not have run since.
        for pid in pids { try blockUntil { DevBuilderTests.isGone(pid) } }
    }

    @Test func aFailedBuild_isTheOneLine_andForProgramsARecord() throws {
        let world = try World("source = \"numbers.c\"\nbuild = [\"./build.sh\", \"a b\"]")
        try world.folder.write(
            "build.sh",
            "#!/bin/sh\necho \"with '$1'\"; [ -e ok ] && cc -I\"$INCLUDE\" -shared -fPIC -o lib.so numbers.c")
        _ = try Shell.run("chmod", ["+x", world.folder.url("build.sh").path])
        // There is no library to begin with.
        let failed = try world.start()
        let end = failed.end()
        #expect(end.status == 69)
        #expect(
            end.errors == "with 'a b'\nbuild of `numbers` failed: exit code 1\n",
            "\(end.errors)")
        try world.folder.write("ok", "")
        let program = try world.start("--json")
        #expect(program.nextLine().contains(#""origin":"initial""#))
        try FileManager.default.removeItem(at: world.folder.url("ok"))
        try world.save(NumbersApp.source(4))
        let line = program.nextLine(with: #"{"build""#)
        #expect(line == #"{"build":{"plugin":"numbers","outcome":"failed","reason":"exit code 1"}}"#)
        try world.folder.write("ok", "")
        try world.save(NumbersApp.source(4) + "\n")
        #expect(program.end().status == 0)
    }

    @Test func aPluginsOwnProject_isConfiguredAndBuilt_alsoWhenItsBuildFolderIsGone() throws {
        let folder = try TemporaryFolder()
        let made = try Spinhost.run("plugin", "new", "words", in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let project = folder.url("words")
        let manifest = project.appendingPathComponent("app.toml")
        let text = try String(contentsOf: manifest, encoding: .utf8)
            .replacing("state.words > 0", with: "state.words == 7")
        try text.write(to: manifest, atomically: true, encoding: .utf8)
        let program = try RunningProgram(["dev", "--once", "--json"], in: project)
        #expect(program.nextLine().contains(#""origin":"initial""#))
        let source = project.appendingPathComponent("plugin.c")
        func save(_ change: String, _ version: String) throws {
            let text = try String(contentsOf: source, encoding: .utf8)
            try text.replacing("0.1.0", with: version).replacing(
                "return words", with: "return \(change) words"
            )
            .write(to: source, atomically: true, encoding: .utf8)
        }
        try save("1 +", "0.2.0")
        var line = program.nextLine(with: #"{"swap""#)
        #expect(line.contains(#""outcome":"swapped","from":"0.1.0","to":"0.2.0""#), "\(line)")
        try FileManager.default.removeItem(at: project.appendingPathComponent("build"))
        let second = try String(contentsOf: source, encoding: .utf8).replacing("0.2.0", with: "0.3.0")
        try second.write(to: source, atomically: true, encoding: .utf8)
        line = program.nextLine(with: #"{"swap""#)
        #expect(line.contains(#""outcome":"swapped","from":"0.2.0","to":"0.3.0""#), "\(line)")
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
    }
}
