import Foundation
import Glibc
import TestSupport
import Testing

/// `spinhost dev` when its app cannot begin: it waits for the mend.
@Suite(.timeLimit(.minutes(10))) struct DevMendTests {
    /// What is wrong at first: what is in the files, and what is said.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var manifest = DevMendTests.manifest
        var source: String? = NumbersApp.source(4)
        let says: [String]
        var watches = "`numbers.c`, `app.toml`; save one of them"
    }

    private static let manifest = manifest("source = \"numbers.c\"")

    private static func manifest(_ more: String) -> String {
        NumbersApp.manifest(more).replacing(#/"dev-.*"/#, with: "\"numbers\"")
    }

    private static let mistakes = [
        Mistake(
            testDescription: "a source that does not compile",
            source: NumbersApp.source(4).replacing("return", with: "retrun"),
            says: ["numbers.c:3:", "build of `numbers` failed: exit code 1\nwatching "]),
        Mistake(testDescription: "no source", source: nil, says: ["error[P086]: a source of `numbers` "]),
        Mistake(
            testDescription: "a function that is missing",
            source: NumbersApp.source(4).replacing("number(", with: "count(").replacing(
                "int32_t, number", with: "int32_t, count"),
            says: ["error[M015]: plugin `numbers` has no effect `number`"]),
        Mistake(
            testDescription: "a manifest that is no TOML", manifest: manifest + "x = ",
            says: ["error[T001]"], watches: "`app.toml`; save it"),
        Mistake(
            testDescription: "a manifest with a fault",
            manifest: manifest.replacing("state.answer == 4", with: "state.anwser == 4"),
            says: ["error[E011]", "did you mean `answer`?"], watches: "`app.toml`; save it"),
        Mistake(
            testDescription: "an empty manifest", manifest: "", says: ["error["],
            watches: "`app.toml`; save it"),
        Mistake(
            testDescription: "an instance that cannot be made",
            source: """
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("numbers", "1.0");
                struct spin_self { int32_t number; };
                static spin_self *create(spin_call *call, const spin_config *config) {
                    (void)config;
                    spin_fail(call, SPIN_FAILED, "no device");
                    return 0;
                }
                static void destroy(spin_self *self) { (void)self; }
                SPIN_INSTANCE(create, destroy);
                static int32_t number(spin_self *self) { return self->number; }
                SPIN_EFFECT(int32_t, number, (spin_self *self), "");
                """,
            says: ["error[P060]", "no device", "a plugin is unavailable: "]),
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ arguments: String..., terminal: PseudoTerminal? = nil) throws -> RunningProgram {
        try RunningProgram(
            ["dev"] + arguments, in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"], terminal: terminal)
    }

    private func interrupt(_ program: RunningProgram) -> String {
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        return end.errors
    }

    @Test(arguments: mistakes)
    func theFirstMistake_isShown_andTheAppBegins_onceItIsMended(_ mistake: Mistake) throws {
        try folder.write("app.toml", mistake.manifest)
        if let source = mistake.source { try folder.write("numbers.c", source) }
        let program = try start()
        try #require(program.waitForErrors("watching \(mistake.watches) to "))
        for text in mistake.says { #expect(program.waitForErrors(text)) }
        #expect(program.waitForErrors(" again, Ctrl-C to quit\n"))
        if mistake.manifest != Self.manifest { try folder.write("app.toml", Self.manifest) }
        if mistake.source != NumbersApp.source(4) { try folder.write("numbers.c", NumbersApp.source(4)) }
        #expect(program.nextLine() == "ready")
        try #require(program.waitForErrors("\ndone: "))
        try #require(program.waitForErrors("save one of them to run again, Ctrl-C to quit\n"))
        _ = interrupt(program)
    }

    /// A failed build is what there is to say: that its library is missing follows from it.
    @Test func aFailedBuild_isSaidOnce_andEndsTheWaitOfOnce() throws {
        try folder.write("app.toml", Self.manifest)
        try folder.write("numbers.c", "x")
        let end = try start("--once").end()
        #expect(end.status == 69)
        #expect(end.errors.hasSuffix("build of `numbers` failed: exit code 1\n"), "\(end.errors)")
    }

    @Test func aLibraryThatIsBuiltByHand_isWaitedFor() throws {
        try folder.write("app.toml", Self.manifest(""))
        let program = try start("--quiet")
        try #require(program.waitForErrors("watching `app.toml`; save it to try again, Ctrl-C to quit\n"))
        try NumbersApp.compile(4, in: folder)
        #expect(program.nextLine() == "ready")
        try #require(program.waitForErrors("watching `lib.so`, `app.toml`; "))
        _ = interrupt(program)
    }

    /// A save that breaks the app when it is over leaves its clients what they had.
    @Test func aSecondMistake_isWaitedFor_too() throws {
        try folder.write("app.toml", Self.manifest)
        try folder.write("numbers.c", NumbersApp.source(4))
        let program = try start("--quiet")
        try #require(program.nextLine() == "ready")
        try #require(program.waitForErrors(" to run again, "))
        try folder.write("numbers.c", "x")
        try #require(program.waitForErrors("build of `numbers` failed: exit code 1\nwatching "))
        try folder.write("app.toml", Self.manifest + "x =")
        try #require(program.waitForErrors("error[T001]"))
        try #require(program.waitForErrors("watching `app.toml`; save it to try again, Ctrl-C to quit\n"))
        let state = try Shell.run(
            Project.spinhost, ["state"], in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path])
        #expect(state.output == "{\"loop\":\"main\",\"step\":1,\"state\":{\"answer\":4}}\n")
        try folder.write("app.toml", Self.manifest)
        try #require(program.waitForErrors("build of `numbers` failed: exit code 1\nwatching ", times: 2))
        try folder.write("numbers.c", NumbersApp.source(4))
        #expect(program.nextLine() == "ready")
        try #require(program.waitForErrors(" to run again, ", times: 2))
        _ = interrupt(program)
    }

    @Test func enter_triesAgain() throws {
        try folder.write("app.toml", Self.manifest("source = \"numbers.c\"\nbuild = \"./build.sh\""))
        try folder.write("build.sh", "#!/bin/sh\ncp made.so lib.so\n")
        try folder.write("numbers.c", NumbersApp.source(4))
        _ = try Shell.run("chmod", ["+x", folder.url("build.sh").path])
        let terminal = try PseudoTerminal()
        let program = try start("--quiet", terminal: terminal)
        try #require(program.waitForErrors("save one of them or press Enter to try again, Ctrl-C to quit\n"))
        try NumbersApp.compile(4, in: folder, as: "made.so")
        try terminal.type()
        #expect(program.nextLine() == "ready")
        try #require(program.waitForErrors("press Enter to run again"))
        _ = interrupt(program)
    }

    @Test func whatNoSaveMends_endsIt() throws {
        let missing = try start().end()
        #expect(missing.status == 66)
        #expect(!missing.errors.contains("watching"), "\(missing.errors)")
        try folder.write("app.toml", Self.manifest)
        try folder.write("numbers.c", NumbersApp.source(4))
        #expect(try start("--set", "x").end().status == 64)
        let first = try start("--quiet")
        try #require(first.waitForErrors("watching "))
        let second = try start().end()
        #expect(second.status == 69)
        #expect(second.errors.contains("error: name `numbers` is in use"), "\(second.errors)")
        _ = interrupt(first)
    }
}
