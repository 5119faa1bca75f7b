import Foundation
import TestSupport
import Testing

/// A library that a swap has refused, and that is written again with the same content.
@Suite(.timeLimit(.minutes(10))) struct RefusedContentTests {
    /// An app with the plugins `first` and `second`, which ends when the second one answers 4.
    private static var manifest: String {
        """
        app.name = "refused-\(UUID().uuidString)"
        [plugins.first]
        library = "./first.so"
        [plugins.second]
        library = "./second.so"
        [loops.main]
        state  = { answer = 0 }
        events = { answered = { answer = "int" }, asked = { answer = "int" } }
        until  = "state.answer == 4"
        on.answered = { set = { answer = "event.answer" } }
        [loops.main.feedback]
        one = { effect = "first:number", on = "asked" }
        two = { effect = "second:number", trigger = "state", emit = { event = "answered", answer = "result" } }
        say = { effect = "std:print", args = ["'ready'"] }

        """
    }

    /// Puts a version of a library in the place of the one that is there, also when it has the same content.
    private func put(_ version: String, as library: String, in folder: TemporaryFolder) throws {
        let move = try Shell.run(
            "bash", ["-c", "cp '\(version)' new.so && mv new.so '\(library)'"], in: folder.root)
        try #require(move.status == 0)
    }

    @Test func sameContent_isNotRefusedAgain_andOtherContentIsTried() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        for number in 1...4 { try NumbersApp.compile(number, in: folder, as: "\(number).so") }
        for number in 5...6 {
            try NumbersApp.compile(number, in: folder, as: "bad-\(number).so", type: "double")
        }
        try put("1.so", as: "first.so", in: folder)
        try put("1.so", as: "second.so", in: folder)
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        try #require(program.nextLine() == "ready")
        try put("bad-5.so", as: "first.so", in: folder)
        try #require(program.waitForErrors("swap of `first` 1.0 → 5.0 refused\n"))
        // The host looks at both files in one look, and takes the first one first.
        try put("bad-5.so", as: "first.so", in: folder)
        try put("2.so", as: "second.so", in: folder)
        try #require(program.waitForErrors("swapped `second` 1.0 → 2.0\n"))
        try put("bad-6.so", as: "first.so", in: folder)
        try put("3.so", as: "second.so", in: folder)
        try #require(program.waitForErrors("swapped `second` 2.0 → 3.0\n"))
        // Between these two the file had another content: it is refused again.
        try put("bad-5.so", as: "first.so", in: folder)
        try put("4.so", as: "second.so", in: folder)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.components(separatedBy: "swap of `first` ").count == 4, "\(end.errors)")
    }

    @Test func samePrivateLibrary_isNotRefusedAgain() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        for number in [1, 2, 4] { try NumbersApp.compile(number, in: folder, as: "\(number).so") }
        for number in 1...2 {
            _ = try CCompiler().sharedObject(
                "int core(void) { return \(number); }", in: folder, as: "core-\(number).so")
        }
        try put("core-1.so", as: "libcore.so", in: folder)
        // The loader finds `libcore.so` by the folder's path only, and so takes the version that it has.
        _ = try CCompiler().sharedObject(
            "extern int core(void);\n" + NumbersApp.source(1, answer: "core()"), in: folder, as: "first.so",
            flags: [
                "-I\(NumbersApp.include)", "-L\(folder.root.path)", "-l:libcore.so",
                "-Wl,-rpath,\(folder.root.path)",
            ])
        try put("1.so", as: "second.so", in: folder)
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        try #require(program.nextLine() == "ready")
        try put("core-2.so", as: "libcore.so", in: folder)
        try #require(program.waitForErrors("swap of `first` 1.0 refused\n"))
        // The host looks at both files in one look, and takes the first one first.
        try put("core-2.so", as: "libcore.so", in: folder)
        try put("2.so", as: "second.so", in: folder)
        try #require(program.waitForErrors("swapped `second` 1.0 → 2.0\n"))
        try put("core-2.so", as: "libcore.so", in: folder)
        try put("4.so", as: "second.so", in: folder)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.components(separatedBy: "swap of `first` ").count == 2, "\(end.errors)")
        #expect(end.errors.components(separatedBy: "error[P096]").count == 2, "\(end.errors)")
    }
}
