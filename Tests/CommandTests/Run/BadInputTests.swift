import Foundation
import Testing
import TestSupport

/// Bad input gets a clear error and an exit code of its own, and leaves nothing running.
struct BadInputTests {
    @Test func manifestThatCannotBeRead_isExit66() throws {
        let folder = try TemporaryFolder()
        try folder.write("closed.toml", "app.name = \"x\"")
        try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: true)
        for verb in ["run", "check"] {
            try expect(
                [verb, "--manifest", "missing.toml"], in: folder, 66,
                "error[M001]: there is no file `missing.toml`")
            try expect([verb, "--manifest", "folder"], in: folder, 66, "error[M002]: `folder` is a folder")
        }
        try expect([], in: folder, 66, "error[M001]: there is no file `app.toml`")
    }

    @Test func manifestWithFaults_isExit78ToRun_and1ToCheck() throws {
        let folder = try TemporaryFolder()
        try folder.write("empty.toml", "")
        try Data([0x61, 0xFF, 0xFE]).write(to: folder.url("latin.toml"))
        var generator = SeededGenerator(seed: 1)
        try Data((0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }).write(
            to: folder.url("noise.toml"))
        try folder.write("toml.toml", "app.name = \"x\n")
        try folder.write("key.toml", "app.name = \"x\"\napp.nmae = 1\n")
        for (name, part) in [
            ("empty", "`empty.toml` is empty"), ("latin", "UTF-8"), ("noise", "UTF-8"),
            ("toml", "error[T001]"),
            ("key", "did you mean `name`?"),
        ] {
            try expect(["run", "--manifest", "\(name).toml"], in: folder, 78, part)
            try expect(["check", "--manifest", "\(name).toml"], in: folder, 1, part)
        }
    }

    @Test func check_findsSeveralFaults_inOneRun_andAsJSON() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            app.name = "x"
            [loops.main]
            state  = { left = 1 }
            events = { go = { to = "int" } }
            [loops.main.on]
            go = { set = { lefft = "event.to" } }
            gone = {}
            [loops.main.feedback.tick]
            effect = "std:evry"
            args   = ["state.right"]

            """)
        let outcome = try Spinhost.run("check", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasSuffix("error: 4 faults in app.toml\n"), "\(outcome.errors)")
        let json = try Spinhost.run("check", "--json", in: folder)
        #expect(json.output.split(separator: "\n").count == 4)
        #expect(json.output.hasPrefix(#"{"severity":"error","code":""#))
        #expect(json.errors == "")
    }

    @Test func check_onATerminal_namesThePageOfTheFirstFault() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", "config = { a = [] }\n[loops.main]\nstat = {}\n")
        let outcome = try Shell.run(
            "script", ["-qec", "'\(Project.spinhost)' check", "/dev/null"], in: folder.root,
            environment: ["NO_COLOR": "1"])
        let lines = outcome.output.split(whereSeparator: \.isNewline)
        #expect(lines.last == "docs/diagnostics/M017.md explains M017")
        #expect(lines.dropLast().last == "error: 2 faults in app.toml")
        let file = Project.root.appendingPathComponent("docs/diagnostics/M017.md").path
        #expect(FileManager.default.fileExists(atPath: file))
    }

    @Test func libraries_thatCannotBeUsed_areNamedBeforeAnythingRuns() throws {
        let folder = try TemporaryFolder()
        let good = try CCompiler().sharedObject(
            "long next(long n) { return n + 1; }", in: folder, as: "good.so")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: good))
        try folder.write("text.so", "not a library")
        try bytes.prefix(bytes.count / 2).write(to: folder.url("half.so"))
        var other = bytes
        other[18] = 0xB7
        try other.write(to: folder.url("arm.so"))
        let cases = [
            ("./missing.so", "next", "missing.so"), ("./text.so", "next", "not an ELF file"),
            ("./half.so", "next", "truncated"), ("./arm.so", "next", "aarch64"),
            ("./good.so", "nxt", "did you mean `next`?"), ("libnothing.so.7", "next", "libnothing.so.7"),
        ]
        for (library, function, part) in cases {
            try folder.write("app.toml", RunCommandTests.counting(library: library, function: function))
            let outcome = try Spinhost.run("--json", in: folder)
            #expect([69, 78].contains(outcome.status), "\(library): \(outcome.status)")
            #expect(outcome.errors.contains(part), "\(library): \(outcome.errors)")
            #expect(outcome.errors.contains("app.toml:"), "\(library): \(outcome.errors)")
            #expect(outcome.output == "")
        }
    }

    @Test func libraryCutAtAnyPoint_isRefused() throws {
        let folder = try TemporaryFolder()
        let good = try CCompiler().sharedObject(
            "long next(long n) { return n + 1; }", in: folder, as: "good.so")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: good))
        try folder.write("app.toml", RunCommandTests.counting(library: "./cut.so", function: "next"))
        for size in stride(from: 0, to: bytes.count - 1, by: 997) {
            try bytes.prefix(size).write(to: folder.url("cut.so"))
            let outcome = try Spinhost.run("--json", in: folder)
            #expect(outcome.status == 69, "\(size) bytes: \(outcome.status) \(outcome.errors)")
            #expect(outcome.output == "")
        }
    }

    @Test func pluginOfAnotherABI_isRefused_beforeItsCodeRuns() throws {
        let folder = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source = """
            #include <stdio.h>
            #include <spinhost/plugin.h>
            #undef SPIN_ABI_TEXT
            #define SPIN_ABI_TEXT "3.0"
            SPIN_PLUGIN("future", "1.0.0");
            __attribute__((constructor)) static void early(void) { fputs("constructor ran\\n", stderr); }
            static int64_t next(int64_t n) { return n + 1; }
            SPIN_EFFECT(int64_t, next, (int64_t n), "");
            """
        _ = try CCompiler().sharedObject(source, in: folder, as: "future.so", flags: ["-I\(include)"])
        let text = RunCommandTests.counting(library: "./future.so", function: "next")
            .split(separator: "\n").filter { !$0.hasPrefix("declares") }.joined(separator: "\n")
        try folder.write("app.toml", text)
        let outcome = try Spinhost.run("--json", in: folder)
        #expect(outcome.status == 69)
        #expect(
            outcome.errors.contains(
                "plugin `future` differs in the ABI's major version: expected 2, found 3"),
            "\(outcome.errors)")
        #expect(!outcome.errors.contains("constructor ran"))
    }

    @Test func faultsOfARun_areShownWithTheirPlace_andTheAppContinues() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            "#include <errno.h>\nlong next(long n) { return n + 1; } long fail(long n) { errno = 5; return -1; }",
            in: folder, as: "next.so")
        func run(_ changes: [(String, String)]) throws -> Shell.Outcome {
            var text = RunCommandTests.counting(library: "./next.so", function: "next")
            for (old, new) in changes { text = text.replacing(old, with: new) }
            try folder.write("app.toml", text)
            return try Spinhost.run("--json", in: folder)
        }
        let division = try run([("args   = [\"state.n\"]", "args   = [\"state.n / (1 - state.n)\"]")])
        #expect(division.status == 1)
        #expect(division.output.contains("divides by zero"), "\(division.output)")
        #expect(division.output.contains(#""origin":"feedback:count""#))
        let failing = try run([
            ("next(", "fail("), ("lib:next", "lib:fail"), ("emit   =", "fails-if = \"result < 0\"\nemit   ="),
        ])
        #expect(failing.status == 1)
        #expect(
            failing.output.contains("`fail` failed: it returned -1, errno 5 (input/output error)"),
            "\(failing.output)")
        let narrow = try run([
            ("{ to = \"int\" }", "{ to = \"u8\" }"), ("to = \"result\"", "to = \"result * 200\""),
        ])
        #expect(narrow.output.contains("does not fit `u8` (0 to 255)"), "\(narrow.output)")
        let stopping = try run([
            ("app.name = \"counting\"", "app.name = \"counting\"\napp.on-fault = \"stop\""),
            ("next(", "fail("), ("lib:next", "lib:fail"), ("emit   =", "fails-if = \"result < 0\"\nemit   ="),
        ])
        #expect(stopping.status == 1)
        #expect(stopping.errors.hasPrefix("ended by a fault"), "\(stopping.errors)")
    }

    @Test func commandLine_thatIsWrong_isExit64() throws {
        let folder = try TemporaryFolder()
        try expect(["chek"], in: folder, 64, "did you mean `check`?")
        try expect(["--manifst", "x"], in: folder, 64, "--manifest")
        try expect(["--json", "--steps"], in: folder, 64, "leave out `--steps`")
        try expect(["eval"], in: folder, 64, "<expression>")
        try expect(["eval", "-x"], in: folder, 64, "put `--` before")
        try expect(["journal", "at", "run.journal", "12x"], in: folder, 64, "`12x` is no place in a journal")
        try expect(["check", "--steps"], in: folder, 64, "`--steps` belongs to `run`")
        let manifest = "`--manifest` belongs to commands that read a manifest"
        try expect(["eval", "--manifest", "app.toml", "1"], in: folder, 64, manifest)
        try expect(["--manifest", "app.toml", "eval", "1"], in: folder, 64, manifest)
        try expect(["lsp", "--manifest", "app.toml"], in: folder, 64, manifest)
        try expect(["eval", "--steps", "1"], in: folder, 64, "`--steps` belongs to `run`")
        try expect(["top"], in: folder, 64, "`top` needs a terminal")
        try expect(["swap"], in: folder, 64, "<plugin>")
    }

    @Test func outputThatCannotBeWritten_isReported_andExit2() throws {
        for command in ["--json --manifest '\(Spinhost.example("levels"))'", "eval '1 + 1'"] {
            let outcome = try Shell.run("bash", ["-c", "'\(Project.spinhost)' \(command) > /dev/full"])
            #expect(outcome.status == 2)
            let message = "error[P031]: cannot write to the output: no space left on device\n"
            #expect(outcome.errors.contains(message))
        }
    }

    @Test func pathsWithSpacesAndQuotes_work() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url("my app's"), withIntermediateDirectories: true)
        let library = try CCompiler().sharedObject(
            "long next(long n) { return n + 1; }", in: folder, as: "next.so")
        try FileManager.default.moveItem(atPath: library, toPath: folder.url("my app's/next it.so").path)
        try folder.write(
            "my app's/app.toml", RunCommandTests.counting(library: "./next it.so", function: "next"))
        let outcome = try Spinhost.run("--manifest", "my app's/app.toml", "--steps", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func expect(_ arguments: [String], in folder: TemporaryFolder, _ status: Int32, _ part: String)
        throws
    {
        let outcome = try Shell.run(Project.spinhost, arguments, in: folder.root)
        #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
        #expect(outcome.errors.contains(part), "\(arguments): \(outcome.errors)")
        #expect(outcome.output == "")
    }
}
